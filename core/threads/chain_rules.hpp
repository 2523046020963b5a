#pragma once

#include "core/base/error.hpp"
#include "core/threads/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace caisson {

/// The latest checkpoint that a client expects a thread to have.
struct expected_latest {
    std::optional<checkpoint_id> id;    // nullopt: the thread has none
};

/// The place that a client requests for a checkpoint.
struct save_request {
    std::optional<checkpoint_id> id;             // nullopt: the server makes one
    std::optional<checkpoint_id> parent;         // nullopt: the latest
    std::optional<expected_latest> if_latest;    // nullopt: not checked
    std::string digest;                          // of the whole request; equal digests mean equal requests
};

/// The thread's contents, read in the transaction that saves.
struct chain_facts {
    std::optional<checkpoint_id> latest;
    std::optional<std::string> same_id_digest;    // of the existing checkpoint with the request's id
    bool parent_is_there = false;                 // the parent in the request
};

enum class save_verdict {
    append,    // it becomes the latest
    repeat,    // it was saved before: return that checkpoint and change nothing
};

struct save_decision {
    save_verdict verdict = save_verdict::append;
    std::optional<checkpoint_id> parent;    // if appended; nullopt: it is a root
    bool operator==(const save_decision&) const = default;
};

/// Decides where a checkpoint goes. Detects a repeated request by its id first, so that it gets the first one's result even if the
/// thread has changed since. Errors: errc::conflict if the latest checkpoint, which the message names, is not the expected one, or if the
/// id is taken by another request; errc::bad_request if the parent does not exist.
result<save_decision> decide_save(const save_request& request, const chain_facts& facts);

/// A checkpoint of a thread to be imported.
struct imported_checkpoint {
    std::string id;
    std::optional<std::string> parent;
    std::int64_t position = 0;
    std::int64_t gap = 0;
};

/// Checks that a list of checkpoints forms a thread: ids are well formed and unique, each parent is an earlier checkpoint of the list (so
/// there are no cycles), positions increase from at least 1, and gaps are not negative. Returns at most the first 20 problems, by fields
/// such as "checkpoints[3].parent_id".
std::vector<field_problem> check_imported_chain(std::span<const imported_checkpoint> checkpoints);

}    // namespace caisson
