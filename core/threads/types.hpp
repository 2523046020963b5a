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
/// Of one saved state, unique within its thread. Made here ("ckp_…", time-ordered), or given by a client: then it is any text that
/// check_checkpoint_id() lets pass, has no order, and parse() does not know it.
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
    std::optional<std::int64_t> ttl_ms;    // since a checkpoint was made; nothing: for ever
    bool operator==(const retention_policy&) const = default;
};

/// One checkpoint of one thread.
struct checkpoint_place {
    thread_name thread;
    checkpoint_id id;
    auto operator<=>(const checkpoint_place&) const = default;
};

/// A sequence of checkpoints, each with a parent among the earlier ones: a tree in which one path is the latest.
struct thread_row {
    std::int64_t key = 0;    // the store's own name for it: a later thread of the same name has another
    tenant_id tenant;
    thread_name name;
    retention_policy retention;
    std::optional<checkpoint_id> latest;              // the last of the sequence; nothing: there is none
    std::int64_t checkpoints = 0;                     // how many there are
    std::int64_t next_position = 1;                   // of the next checkpoint; never used again
    std::optional<checkpoint_place> branched_from;    // of what checkpoint of what thread it was made
    std::int64_t created_at_ms = 0;
    std::int64_t updated_at_ms = 0;    // when the last checkpoint came or went
};

/// What a client says about a checkpoint, to find it by.
struct checkpoint_metadata {
    std::optional<std::int64_t> step;
    std::string node_id;              // empty: none
    std::vector<std::string> tags;    // no two alike
    std::string custom;               // a JSON object in canonical form; empty: none
    bool operator==(const checkpoint_metadata&) const = default;
};

/// A file that an execution left behind.
struct artifact_reference {
    execution_id execution;
    std::string path;
    bool operator==(const artifact_reference&) const = default;
};

/// What a checkpoint names of this server's. It is kept as long as the checkpoint is.
struct checkpoint_references {
    std::optional<execution_id> execution;
    std::vector<artifact_reference> artifacts;
    std::string snapshot;    // of a sandbox, by its id; empty: none
    bool operator==(const checkpoint_references&) const = default;
};

/// The bytes of a state.
struct state_info {
    std::string digest;    // SHA-256 of the canonical form (of the bytes, if it is not JSON), lower-case hex
    std::int64_t size_bytes = 0;
    std::string media_type = "application/json";
};

/// A checkpoint that is to be written when an execution ends.
struct checkpoint_order {
    thread_name thread;
    checkpoint_id id;    // empty: one is made
    checkpoint_metadata metadata;
    bool pinned = false;
    std::string state;    // in canonical form; empty: how the execution ended
    bool operator==(const checkpoint_order&) const = default;
};

/// What became of it.
struct checkpoint_note {
    thread_name thread;
    checkpoint_id id;     // empty if it was not written
    std::string error;    // why not, a sentence
    bool operator==(const checkpoint_note&) const = default;
};

/// A saved state. Nothing of it changes but its pin, and what retention does to its parent.
struct checkpoint_row {
    tenant_id tenant;
    thread_name thread;
    checkpoint_id id;
    std::int64_t position = 0;              // in the thread, counted up from 1
    std::optional<checkpoint_id> parent;    // nothing: it is a root
    /// How many checkpoints retention dropped between it and its parent, or before it if it is a root.
    std::int64_t gap = 0;
    std::optional<checkpoint_id> rollback_of;    // it is a copy of that one: somebody went back to it
    checkpoint_metadata metadata;
    checkpoint_references references;
    state_info state;
    bool pinned = false;    // retention leaves it alone
    std::int64_t created_at_ms = 0;
};

}    // namespace caisson
