#pragma once

#include "adapters/host/process_spawner.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace caisson {

/// A caisson-launch process that forks for each order. Its forks are children of this process, as from spawn_process(), but save loading a
/// program and its libraries. It starts on first use, restarts after being killed, and ends with this object or this process. Usable from
/// any thread; serves one order at a time.
class fork_server {
public:
    /// `home` holds descriptors of cgroup.procs: the fork server and its forks start in those groups. Without any, in the groups of this
    /// process.
    explicit fork_server(std::vector<unique_fd> home = {});
    ~fork_server();
    fork_server(const fork_server&) = delete;
    fork_server& operator=(const fork_server&) = delete;

    bool has_home() const { return !home_.empty(); }
    /// Ends the fork server, so that only its forks remain in the home groups. The next order restarts it.
    void end();

    /// True if forks of `path` (caisson-launch) run from a copy in memory that only this user and root may open or execute: programs in a
    /// sandbox can execute the file of the process that starts them (/proc/self/exe). False where memory may not be executed
    /// (vm.memfd_noexec). The first call or order makes the copy, which is then reused.
    bool keeps_program_apart(const std::string& path);

    /// `options.path` is caisson-launch. Falls back to spawn_process() if the order does not fit a message (fork_order.hpp) or no fork
    /// server can run, unless must_be_forked. Errors: errc::runtime_unavailable; then no process runs.
    result<process_handle> spawn(const spawn_options& options);

private:
    struct unmap {
        void operator()(std::atomic<pid_t>* what) const;
    };
    bool has_copy_of(const std::string& path);
    bool begin(const std::string& path);
    bool enters_home(pid_t pid) const;
    void end_process() noexcept;
    void end_what_was_forked() noexcept;
    result<process_handle> spawn_otherwise(const spawn_options& options, const char* why) const;

    const std::vector<unique_fd> home_;
    std::mutex mutex_;
    std::string path_;    // of the program in `program_`
    unique_fd program_;
    unique_fd shared_file_;
    std::unique_ptr<std::atomic<pid_t>, unmap> forked_;    // pid forked for the current order: the kernel writes it before the child runs
    unique_fd socket_;
    std::optional<process_handle> process_;
};

}    // namespace caisson
