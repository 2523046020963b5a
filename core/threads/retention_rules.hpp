#pragma once

#include "core/threads/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace caisson {

/// The properties of a checkpoint that retention depends on.
struct retention_candidate {
    checkpoint_id id;
    std::optional<checkpoint_id> parent;    // an earlier checkpoint
    std::int64_t gap = 0;                   // as in checkpoint_row
    std::int64_t created_at_ms = 0;
    bool pinned = false;
    bool needed = false;    // a branch or another reference depends on it
};

/// A kept checkpoint whose parent is dropped.
struct relinked_checkpoint {
    checkpoint_id id;
    std::optional<checkpoint_id> parent;    // its nearest kept ancestor; nullopt: none is kept
    std::int64_t gap = 0;                   // all checkpoints dropped between the two, earlier ones included
    bool operator==(const relinked_checkpoint&) const = default;
};

struct retention_plan {
    std::vector<checkpoint_id> dropped;           // in their original order
    std::vector<relinked_checkpoint> relinked;    // likewise
    bool operator==(const retention_plan&) const = default;
};

/// Selects the checkpoints to drop at `now_ms` from all checkpoints of a thread, oldest first: those beyond the newest max_checkpoints,
/// and expired ones. Keeps the newest one, and pinned and needed ones; these count against max_checkpoints only while they are among the
/// newest. Applying the plan makes the next plan empty. Linear time.
retention_plan plan_retention(std::span<const retention_candidate> checkpoints, const retention_policy& policy, std::int64_t now_ms);

/// Plans the removal of the checkpoints for which `goes` is true.
retention_plan plan_removal(std::span<const retention_candidate> checkpoints, const std::vector<bool>& goes);

}    // namespace caisson
