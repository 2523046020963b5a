#pragma once

#include "core/base/error.hpp"
#include "core/threads/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace caisson {

/// What a client takes a thread's latest checkpoint to be.
struct expected_latest {
    std::optional<checkpoint_id> id;    // nothing: the thread has none
};

/// What a client says about the place of a checkpoint that it saves.
struct save_request {
    std::optional<checkpoint_id> id;             // nothing: it gets one
    std::optional<checkpoint_id> parent;         // nothing: the latest
    std::optional<expected_latest> if_latest;    // nothing: whatever it is
    std::string digest;                          // of all that the client gave: equal digests, equal requests
};

/// What the thread has, read in the transaction that saves.
struct chain_facts {
    std::optional<checkpoint_id> latest;
    std::optional<std::string> same_id_digest;    // of the checkpoint that has the request's id
    bool parent_is_there = false;                 // the request's
};

enum class save_verdict {
    append,    // it becomes the newest
    repeat,    // it was saved before: the answer is that checkpoint, and nothing changes
};

struct save_decision {
    save_verdict verdict = save_verdict::append;
    std::optional<checkpoint_id> parent;    // of one that is appended; nothing: it is a root
    bool operator==(const save_decision&) const = default;
};

/// Where a checkpoint goes. A repeated request is told from its id, before all else, so that it has the first one's answer however
/// the thread went on. Errors: errc::conflict, naming the current one, if the latest is not the expected one, or the id is taken by
/// another content; errc::bad_request if the parent is not there.
result<save_decision> decide_save(const save_request& request, const chain_facts& facts);

/// A checkpoint of a thread that comes from elsewhere.
struct imported_checkpoint {
    std::string id;
    std::optional<std::string> parent;
    std::int64_t position = 0;
    std::int64_t gap = 0;
};

/// What keeps a list of checkpoints from being a thread, at most the first 20 problems, by fields such as "checkpoints[3].parent_id":
/// ids are well formed and unique, each parent is an earlier one of the list (so that there are no cycles), positions rise from 1 on,
/// gaps are not negative.
std::vector<field_problem> check_imported_chain(std::span<const imported_checkpoint> checkpoints);

}    // namespace caisson
