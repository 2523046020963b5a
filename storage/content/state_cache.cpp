#include "storage/content/state_cache.hpp"

namespace caisson::sqlite {

std::optional<shared_bytes> state_cache::find(std::string_view digest)
{
    const std::lock_guard lock(mutex_);
    const auto found = by_digest_.find(digest);
    if (found == by_digest_.end())
        return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->text;
}

void state_cache::put(std::string_view digest, shared_bytes text)
{
    if (text.size() > most_bytes_ / 4)
        return;
    const std::lock_guard lock(mutex_);
    if (by_digest_.contains(digest))
        return;
    bytes_ += text.size();
    entries_.push_front({std::string(digest), std::move(text)});
    by_digest_.emplace(entries_.front().digest, entries_.begin());
    while (bytes_ > most_bytes_) {
        bytes_ -= entries_.back().text.size();
        by_digest_.erase(entries_.back().digest);
        entries_.pop_back();
    }
}

}    // namespace caisson::sqlite
