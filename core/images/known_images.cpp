#include "core/images/known_images.hpp"

#include <algorithm>
#include <chrono>

namespace caisson {

namespace {

/// Some builders store images without the engine's API, and then no change is reported.
constexpr std::chrono::seconds longest_age{1};
/// Clients choose the names, so their number is bounded: at this number the cache is cleared.
constexpr std::size_t most_entries = 1'000;
/// An image counts as in use this long after its last use; meanwhile answers of the age `renewed_after` are renewed.
constexpr std::chrono::seconds used_for{60};
constexpr std::chrono::milliseconds renewed_after{300};
constexpr std::size_t most_renewed = 16;

}    // namespace

void known_images::begin_hearing()
{
    forget();
    hears_ = true;
}

void known_images::end_hearing()
{
    forget();
    hears_ = false;
}

void known_images::forget()
{
    ++version_;
    entries_.clear();
}

void known_images::keep(const std::string& reference, const stored_image& image, std::uint64_t version, steady_time asked_at)
{
    if (!hears_ || version != version_)
        return;
    if (entries_.size() >= most_entries)
        entries_.clear();
    const auto before = entries_.find(reference);
    entries_.insert_or_assign(reference, entry{image, asked_at, before == entries_.end() ? asked_at : before->second.used_at});
}

void known_images::drop(const std::string& reference) { entries_.erase(reference); }

std::optional<stored_image> known_images::find(const std::string& reference, steady_time now)
{
    const auto found = entries_.find(reference);
    if (found == entries_.end())
        return std::nullopt;
    found->second.used_at = now;
    return now - found->second.asked_at < longest_age ? std::optional(found->second.image) : std::nullopt;
}

bool known_images::is_in_use(steady_time now) const
{
    return std::ranges::any_of(entries_, [&](const auto& each) { return now - each.second.used_at < used_for; });
}

std::vector<std::string> known_images::due(steady_time now) const
{
    std::vector<std::pair<steady_time, std::string>> used;
    for (const auto& [reference, known] : entries_)
        if (now - known.used_at < used_for && now - known.asked_at >= renewed_after)
            used.emplace_back(known.used_at, reference);
    std::ranges::sort(used, std::greater());
    used.resize(std::min(used.size(), most_renewed));
    std::vector<std::string> names;
    for (auto& [at, reference] : used)
        names.push_back(std::move(reference));
    return names;
}

}    // namespace caisson
