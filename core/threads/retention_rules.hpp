#pragma once

#include "core/threads/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace caisson {

/// A checkpoint, as far as its going is concerned.
struct retention_candidate {
    checkpoint_id id;
    std::optional<checkpoint_id> parent;    // among the earlier ones
    std::int64_t gap = 0;                   // as in checkpoint_row
    std::int64_t created_at_ms = 0;
    bool pinned = false;
    bool needed = false;    // another thread branches off it, or something names it
};

/// A checkpoint that stays and whose parent goes.
struct relinked_checkpoint {
    checkpoint_id id;
    std::optional<checkpoint_id> parent;    // the nearest that stays on the way to the root; nothing: none does
    std::int64_t gap = 0;                   // all that were dropped between them, ever
    bool operator==(const relinked_checkpoint&) const = default;
};

struct retention_plan {
    std::vector<checkpoint_id> dropped;           // in their order
    std::vector<relinked_checkpoint> relinked;    // likewise
    bool operator==(const retention_plan&) const = default;
};

/// Which of a thread's checkpoints, given all of them from the oldest to the newest, go at `now_ms`: those behind the newest
/// max_checkpoints, and those whose time is over. The newest stays whatever its age, and so do pinned and needed ones, which take no
/// other's place unless they are among the newest. A plan that was carried out leads to an empty one. Linear in their number.
retention_plan plan_retention(std::span<const retention_candidate> checkpoints, const retention_policy& policy, std::int64_t now_ms);

/// The same for checkpoints that go for another reason: `goes` says for each whether it does.
retention_plan plan_removal(std::span<const retention_candidate> checkpoints, const std::vector<bool>& goes);

}    // namespace caisson
