#pragma once

#include "core/auth/types.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace caisson {

/// When keys were used last, kept in memory so that a request does not wait for a disk. Call from any thread.
class key_uses {
public:
    /// True if it is the first since take(): the caller then sees to it that take() is called.
    bool note(const key_id& id, std::int64_t now_ms);
    /// What has been noted since the last call.
    std::vector<std::pair<key_id, std::int64_t>> take();
    /// Puts the noted time into a row that was read, if that is later.
    void apply_to(api_key_row& row) const;

private:
    struct use {
        std::int64_t at_ms = 0;
        bool written = true;
    };
    mutable std::mutex mutex_;
    std::unordered_map<key_id, use> uses_;
    bool waiting_ = false;
};

}    // namespace caisson
