#pragma once

#include "core/adapters/spawn/process_spawner.hpp"

#include <mutex>
#include <optional>

namespace caisson {

/// A process of caisson-launch that waits for orders and forks for each: what it makes is a child of this process, as if
/// spawn_process() had made it, but neither a program is loaded nor its library set up for it. It is begun with the first order, ends with this object
/// or with this process, and is begun anew if it was killed. From any thread, one order at a time.
class fork_server {
public:
    fork_server() = default;
    ~fork_server();
    fork_server(const fork_server&) = delete;
    fork_server& operator=(const fork_server&) = delete;

    /// `options.path` is caisson-launch. An order that is too large for a message (fork_order.hpp) is given to spawn_process(), and so
    /// is every one while no such process can be had. Errors: errc::runtime_unavailable.
    result<process_handle> spawn(const spawn_options& options);

private:
    bool begin(const std::string& path);
    void end() noexcept;

    std::mutex mutex_;
    unique_fd socket_;
    std::optional<process_handle> process_;
    std::string path_;    // of its program
};

}    // namespace caisson
