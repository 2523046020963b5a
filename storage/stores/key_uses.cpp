#include "storage/stores/key_uses.hpp"

#include <algorithm>

namespace caisson {

bool key_uses::note(const key_id& id, std::int64_t now_ms)
{
    const std::lock_guard lock(mutex_);
    auto& mine = uses_[id];
    mine.at_ms = std::max(mine.at_ms, now_ms);
    mine.written = false;
    return !std::exchange(waiting_, true);
}

std::vector<std::pair<key_id, std::int64_t>> key_uses::take()
{
    const std::lock_guard lock(mutex_);
    waiting_ = false;
    std::vector<std::pair<key_id, std::int64_t>> fresh;
    for (auto& [id, mine] : uses_) {
        if (!std::exchange(mine.written, true))
            fresh.emplace_back(id, mine.at_ms);
    }
    return fresh;
}

void key_uses::apply_to(api_key_row& row) const
{
    const std::lock_guard lock(mutex_);
    const auto mine = uses_.find(row.id);
    if (mine != uses_.end())
        row.last_used_at_ms = std::max(mine->second.at_ms, row.last_used_at_ms.value_or(0));
}

}    // namespace caisson
