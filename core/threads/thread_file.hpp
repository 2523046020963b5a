#pragma once

#include "core/threads/json_members.hpp"
#include "core/threads/thread_service.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace caisson {

// A thread as a file of JSON lines: a head, the checkpoints, and an end with the SHA-256 of all lines before it. A state comes right before
// the first checkpoint that has it. References to a server's resources (executions, artifacts) are not exported.

inline constexpr std::int64_t thread_file_version = 1;

/// Writes the file of one thread. Not thread-safe.
class thread_file_writer {
public:
    thread_file_writer(const thread_row& of, hasher_factory make_hasher);

    /// The lines for the next checkpoints. The first call also writes the head.
    std::string lines(const std::vector<loaded_checkpoint>& checkpoints);
    /// The end line, after the head if lines() was not called.
    std::string end();

private:
    void add(std::string& to, const loaded_checkpoint& checkpoint);

    std::unique_ptr<hasher> hash_;
    std::string head_;
    std::unordered_set<std::string> written_;    // digests of states, each with a letter for the encoding
    std::int64_t checkpoints_ = 0;
};

/// Reads and validates the file of one thread. Not thread-safe.
class thread_file_reader {
public:
    struct uses {
        tenant_id tenant;
        const state_packer& packer;
        hasher_factory make_hasher = nullptr;
        state_bounds bounds;
        std::int64_t now_ms = 0;
    };
    explicit thread_file_reader(uses use);

    /// Reads the next bytes. Large states are packed against `base`, which may be null and must live until the next feed() or the return of
    /// finish(). Errors: errc::bad_request and errc::too_large, with the line number.
    result<void> feed(std::string_view bytes, const packing_base* base);
    /// Call after the last bytes. Errors: errc::bad_request, also if the end line is missing.
    result<void> finish();
    /// The checkpoints read since the last call.
    std::vector<checkpoint_draft> take() { return std::move(drafts_); }
    const retention_policy& policy() const { return policy_; }
    const tenant_id& tenant() const { return use_.tenant; }

private:
    enum class expects { head, record, text, nothing };

    result<void> line(std::string_view text);
    result<void> read_head(std::string_view text);
    result<void> read_record(std::string_view text);
    result<void> read_text(std::string_view text);
    result<void> read_checkpoint(std::string_view object);
    result<void> read_names(const json_members& said, checkpoint_row& row);
    result<void> read_place(const json_members& said, checkpoint_row& row);
    result<void> read_state_of(const json_members& said, checkpoint_draft& draft);
    result<void> read_end(std::string_view object);
    error wrong(std::string what) const;

    uses use_;
    const packing_base* base_ = nullptr;
    expects next_ = expects::head;
    std::string rest_;    // of an incomplete line
    std::int64_t number_ = 0;
    std::unique_ptr<hasher> hash_;
    retention_policy policy_;
    std::string wanted_digest_;    // of the state on the next line, hex
    bool wanted_is_json_ = true;
    struct known_state {
        std::int64_t size_bytes = 0;
        std::string digest;     // raw
        packed_state packed;    // moved into its first checkpoint
        bool is_json = false;
        bool used = false;
    };
    std::unordered_map<std::string, known_state> states_;        // by digest
    std::size_t unused_states_ = 0;                              // 0 or 1: an unused state holds its bytes in memory
    std::unordered_map<std::string, std::int64_t> positions_;    // by id
    std::int64_t last_position_ = 0;
    std::int64_t last_time_ms_ = 0;
    std::int64_t checkpoints_ = 0;
    std::vector<checkpoint_draft> drafts_;
};

}    // namespace caisson
