#pragma once

#include "adapters/host/process_spawner.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace caisson {

/// A process of caisson-launch that waits for orders and forks for each: what it makes is a child of this process, as if
/// spawn_process() had made it, but neither a program is loaded nor its library set up for it. It is begun when it is first needed, ends
/// with this object or with this process, and is begun anew if it was killed. From any thread, one order at a time.
class fork_server {
public:
    /// What it forks begins in the groups of `home`, descriptors of cgroup.procs, as its own process does; without any in this process's.
    explicit fork_server(std::vector<unique_fd> home = {});
    ~fork_server();
    fork_server(const fork_server&) = delete;
    fork_server& operator=(const fork_server&) = delete;

    bool has_home() const { return !home_.empty(); }
    /// Ends its process, so that nothing is in its home any more but what it forked. The next order begins it anew.
    void end();

    /// Whether what is forked from the program at `path`, caisson-launch, runs from a copy in memory that nobody but this user and root may
    /// open or execute: programs in a sandbox can execute the file of the process that starts them (/proc/self/exe), whatever it is. False
    /// where memory may not be executed (vm.memfd_noexec). The copy is made with the first call, or order, and serves until the end.
    bool keeps_program_apart(const std::string& path);

    /// `options.path` is caisson-launch. An order that is too large for a message (fork_order.hpp) is given to spawn_process(), and so
    /// is every one while no such process can be had, unless it must be forked. Errors: errc::runtime_unavailable; nothing runs then.
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
    std::string path_;    // of its program
    unique_fd program_;
    unique_fd shared_file_;
    std::unique_ptr<std::atomic<pid_t>, unmap> forked_;    // by the order that is being obeyed: the kernel writes it, before the child runs
    unique_fd socket_;
    std::optional<process_handle> process_;
};

}    // namespace caisson
