#pragma once

#include "core/async/timers.hpp"

#include <functional>
#include <string>
#include <vector>

namespace caisson {

/// The sandbox that bwrap builds. Descriptors are numbers in bwrap's process.
struct bubblewrap_layout {
    std::string work;    // host directories to mount as `work_directory`, /tmp and /dev/shm
    std::string tmp;
    std::string shm;
    std::string work_directory = "/workspace";    // absolute, directly below /
    std::vector<std::string> trees;               // mount points in it, relative: read-only mounts of `tree`/0, `tree`/1, …
    std::string tree;
    std::vector<std::string> views;    // names in / that are mounted from `view` instead of the host
    std::string view;
    std::string proc;    // its sys becomes /proc/sys
    std::string dev;     // becomes the whole /dev, with shm in it; empty: bwrap makes /dev of the host's nodes and mounts `shm` there
    std::vector<std::string> roots;    // names in /: mount points of the trees after `trees`
    std::string agent;                 // path of the agent, executable by all; empty: agent_fd has its content
    int agent_fd = -1;
    int seccomp_fd = -1;
    int info_fd = -1;
    int network_fd = -1;    // of a whole_sandbox
    int listen_fd = -1;
};

/// Facts about the host's files, as functions so that tests can substitute them.
struct host_files {
    std::function<bool(const std::string& path)> exists;
    /// Target of a symbolic link; empty if the path is no link.
    std::function<std::string(const std::string& path)> link_target;
    /// True if something is mounted below `path`: an overlay would not show it.
    std::function<bool(const std::string& path)> has_mounts_below;
};
host_files real_host_files();
/// Caches the files and links of `host` for one second by `now`, for callers that ask for each sandbox. Thread-safe.
host_files with_memory(host_files host, std::function<steady_time()> now);

/// Names in / that a sandbox shows and a view can show completely.
std::vector<std::string> viewable(const host_files& host);

/// True if `views` cover all host programs that a sandbox shows, so that the launcher can make its root without bwrap.
bool are_programs_viewed(const std::vector<std::string>& views, const host_files& host);

/// The symbolic links next to /usr: name without the slash, and target.
std::vector<std::pair<std::string, std::string>> program_links(const host_files& host);

/// Existing entries of /proc that reveal something about the host: names of files, and of directories.
std::vector<std::string> masked_in_proc(const host_files& host);
std::vector<std::string> hidden_in_proc(const host_files& host);

/// The agent's argument vector inside the sandbox.
std::vector<std::string> agent_arguments(const bubblewrap_layout& layout);

/// bwrap's argument vector, ending with the agent's. The order matters: later mounts cover earlier ones, and the root becomes read-only
/// last.
std::vector<std::string> bubblewrap_arguments(const bubblewrap_layout& layout, const host_files& host);

}    // namespace caisson
