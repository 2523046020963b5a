#pragma once

#include "core/protocol/frame_batch.hpp"
#include "core/protocol/types.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caisson::protocol {

/// The files and the SPAWN that start one execution, kept until the agent confirms them; or why the execution cannot be started.
class start_order {
public:
    struct refusal {
        int code;
        std::string step;
    };

    /// A file to create before the spawn. Refuses a path that does not fit into a frame.
    void put_file(std::string path, std::uint32_t mode, shared_bytes content);
    /// Refuses a request that is too large.
    void spawn(const spawn_request& request, shared_descriptors join);
    /// The execution cannot be started, for a reason on this side. Only the first reason counts.
    void refuse(int code, std::string step);
    /// Nothing: no reason is known.
    const std::optional<refusal>& refused() const { return refusal_; }

    /// SPAWN is ordered, and not confirmed.
    bool has_spawn() const { return spawn_wanted_; }
    bool has_descriptors() const { return join_ && !join_->empty(); }
    /// False: stdin ends after what was queued before SPAWN is sent.
    bool stdin_open() const { return stdin_open_; }

    /// Adds one piece of a file; false if all are sent.
    bool fill_file(frame_batch& batch, exec_number number);
    /// Adds all parts of SPAWN at once: no other execution's parts may come between. To carry descriptors, `batch` must be empty.
    void fill_spawn(frame_batch& batch, exec_number number, bool carries_descriptors);
    /// The agent has the SPAWN and its files; they are not sent again.
    void confirm();
    /// A new connection: all files are due again.
    void restart();

private:
    struct input_file {
        std::string path;
        std::uint32_t mode;
        shared_bytes content;
    };

    bool spawn_wanted_ = false;
    bool stdin_open_ = false;
    shared_bytes spawn_;    // empty once confirmed
    shared_descriptors join_;
    std::vector<input_file> files_;
    std::size_t file_index_ = 0;
    std::size_t file_offset_ = 0;
    std::optional<refusal> refusal_;
};

}    // namespace caisson::protocol
