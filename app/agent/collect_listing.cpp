#include "app/agent/collect_listing.hpp"

#include <algorithm>

namespace caisson::agent {

void collect_listing::add(std::string_view name, entry_kind kind)
{
    const bool is_directory = kind == entry_kind::directory;
    if (starts_.size() > 1 && bytes() + name.size() + 1 + per_name > most_bytes_)
        drop_half();
    starts_.push_back({static_cast<std::uint32_t>(text_.size()), static_cast<std::uint16_t>(name.size() + (is_directory ? 1 : 0)), kind});
    text_ += name;
    if (is_directory)
        text_ += '/';
}

std::string_view collect_listing::operator[](std::size_t number) const
{
    return std::string_view(text_).substr(starts_[number].from, starts_[number].size);
}

void collect_listing::sort()
{
    const std::string_view text(text_);
    std::sort(starts_.begin(), starts_.end(),
        [text](const span& a, const span& b) { return text.substr(a.from, a.size) < text.substr(b.from, b.size); });
}

/// Drops half of the names at once, so that all calls together take little longer than one sort.
void collect_listing::drop_half()
{
    sort();
    const auto kept = (starts_.size() + 1) / 2;
    dropped_ += starts_.size() - kept;
    starts_.resize(kept);
    std::string text;
    for (auto& each : starts_) {
        const auto name = std::string_view(text_).substr(each.from, each.size);
        each.from = static_cast<std::uint32_t>(text.size());
        text += name;
    }
    text_ = std::move(text);
}

}    // namespace caisson::agent
