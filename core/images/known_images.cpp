#include "core/images/known_images.hpp"

#include <chrono>

namespace caisson {

namespace {

/// Builders that store images beside the engine's own ways have moved names without a word.
constexpr std::chrono::seconds longest_age{1};
/// Names are clients' words: when there are so many all are forgotten.
constexpr std::size_t most_entries = 1'000;

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
    entries_.insert_or_assign(reference, entry{image, asked_at});
}

std::optional<stored_image> known_images::find(const std::string& reference, steady_time now) const
{
    const auto found = entries_.find(reference);
    if (found == entries_.end() || now - found->second.asked_at >= longest_age)
        return std::nullopt;
    return found->second.image;
}

}    // namespace caisson
