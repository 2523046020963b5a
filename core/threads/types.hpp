#pragma once

#include "core/base/ids.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caisson {

struct checkpoint_tag {
    static constexpr std::string_view prefix = "ckp_";
};
/// Identifies a checkpoint within its thread. The server makes ids like "ckp_…", which are ordered by time. A client may give any id that
/// check_checkpoint_id() accepts; such ids have no order, and parse() rejects them.
using checkpoint_id = basic_id<checkpoint_tag>;

/// The name of a thread, chosen by its client, unique within the tenant.
class thread_name {
public:
    thread_name() = default;    // empty: names nothing
    explicit thread_name(std::string text) : text_(std::move(text)) { }

    const std::string& str() const { return text_; }
    bool empty() const { return text_.empty(); }
    auto operator<=>(const thread_name&) const = default;

private:
    std::string text_;
};

/// Which checkpoints of a thread are kept.
struct retention_policy {
    std::int64_t max_checkpoints = 100;    // the newest
    std::optional<std::int64_t> ttl_ms;    // age limit of a checkpoint; nullopt: none
    bool operator==(const retention_policy&) const = default;
};

/// Identifies a checkpoint within a tenant.
struct checkpoint_place {
    thread_name thread;
    checkpoint_id id;
    auto operator<=>(const checkpoint_place&) const = default;
};

/// A thread: a sequence of checkpoints whose parents are earlier checkpoints. They form trees; the last checkpoint is the latest.
struct thread_row {
    std::int64_t key = 0;    // assigned by the store; not reused when the name is
    tenant_id tenant;
    thread_name name;
    retention_policy retention;
    std::optional<checkpoint_id> latest;              // the last of the sequence; nullopt: no checkpoints
    std::int64_t checkpoints = 0;                     // count
    std::int64_t next_position = 1;                   // of the next checkpoint; positions are not reused
    std::optional<checkpoint_place> branched_from;    // the checkpoint that the thread was branched from
    std::int64_t created_at_ms = 0;
    std::int64_t updated_at_ms = 0;    // when a checkpoint was last added or removed
};

/// Labels that a client gives to a checkpoint, for searching.
struct checkpoint_metadata {
    std::optional<std::int64_t> step;
    std::string node_id;              // empty: none
    std::vector<std::string> tags;    // unique
    std::string custom;               // a JSON object in canonical form; empty: none
    bool operator==(const checkpoint_metadata&) const = default;
};

/// An artifact of an execution.
struct artifact_reference {
    execution_id execution;
    std::string path;
    bool operator==(const artifact_reference&) const = default;
};

/// Resources of this server that a checkpoint refers to. They are kept as long as the checkpoint is.
struct checkpoint_references {
    std::optional<execution_id> execution;
    std::vector<artifact_reference> artifacts;
    std::string snapshot;    // id of a sandbox snapshot; empty: none
    bool operator==(const checkpoint_references&) const = default;
};

/// Describes the bytes of a state.
struct state_info {
    std::string digest;    // SHA-256 of the canonical form of JSON, or of other bytes; lower-case hex
    std::int64_t size_bytes = 0;
    std::string media_type = "application/json";
};

/// A checkpoint to write when an execution ends.
struct checkpoint_order {
    thread_name thread;
    checkpoint_id id;    // empty: the server makes one
    checkpoint_metadata metadata;
    bool pinned = false;
    std::string state;    // in canonical form; empty: the result of the execution
    bool operator==(const checkpoint_order&) const = default;
};

/// The outcome of a checkpoint_order.
struct checkpoint_note {
    thread_name thread;
    checkpoint_id id;     // empty: not written
    std::string error;    // why not, a sentence
    bool operator==(const checkpoint_note&) const = default;
};

/// A checkpoint. Immutable except for its pin, and for `parent` and `gap` when its parent is dropped.
struct checkpoint_row {
    tenant_id tenant;
    thread_name thread;
    checkpoint_id id;
    std::int64_t position = 0;              // in the thread, counted up from 1
    std::optional<checkpoint_id> parent;    // nullopt: it is a root
    /// Number of checkpoints dropped between it and its parent, or before it if it is a root.
    std::int64_t gap = 0;
    std::optional<checkpoint_id> rollback_of;    // a rollback made it as a copy of this checkpoint
    checkpoint_metadata metadata;
    checkpoint_references references;
    state_info state;
    bool pinned = false;    // retention keeps it
    std::int64_t created_at_ms = 0;
};

}    // namespace caisson
