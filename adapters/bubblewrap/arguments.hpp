#pragma once

#include "core/async/timers.hpp"

#include <functional>
#include <string>
#include <vector>

namespace caisson {

/// What bwrap is to build, with descriptors by their numbers in its process.
struct bubblewrap_layout {
    std::string work;    // directories of the host to become `work_directory`, /tmp and /dev/shm
    std::string tmp;
    std::string shm;
    std::string work_directory = "/workspace";    // absolute, right below /
    std::vector<std::string> trees;               // places in it, relative: each shows what is at `tree`/0 and so on, read-only
    std::string tree;
    std::vector<std::string> views;    // names in / that are taken from `view` instead of from the host
    std::string view;
    std::string proc;    // whose sys becomes /proc/sys
    std::string dev;     // what becomes /dev, whole, with shm in it; empty: bwrap makes one of the host's nodes, and shows `shm` there
    std::vector<std::string> roots;    // names in / that are trees, those behind `trees`
    std::string agent;                 // the agent's program, which everybody may execute; empty: agent_fd has its contents
    int agent_fd = -1;
    int seccomp_fd = -1;
    int info_fd = -1;
    int network_fd = -1;    // of a whole sandbox
    int listen_fd = -1;
};

/// What the host has, so that the arguments can be tested without one.
struct host_files {
    std::function<bool(const std::string& path)> exists;
    /// Where a symbolic link points to; empty if it is none.
    std::function<std::string(const std::string& path)> link_target;
    /// Whether something else is mounted below: an overlay would not show it.
    std::function<bool(const std::string& path)> has_mounts_below;
};
host_files real_host_files();
/// What `host` has, its files and links looked at anew when a second has passed by `now`: for whoever asks for each sandbox. From any
/// thread.
host_files with_memory(host_files host, std::function<steady_time()> now);

/// Names in / of which a sandbox shows anything, and of which a view shows all.
std::vector<std::string> viewable(const host_files& host);

/// Whether all that a sandbox shows of the host's programs can be shown by `views`, so that the launcher can make its root without bwrap.
bool are_programs_viewed(const std::vector<std::string>& views, const host_files& host);

/// The symbolic links beside /usr: name, without the slash, and target.
std::vector<std::pair<std::string, std::string>> program_links(const host_files& host);

/// What of /proc says something about the host, as far as it has it: names of files, and of directories.
std::vector<std::string> masked_in_proc(const host_files& host);
std::vector<std::string> hidden_in_proc(const host_files& host);

/// The agent's argument vector in the sandbox.
std::vector<std::string> agent_arguments(const bubblewrap_layout& layout);

/// bwrap's argument vector, the agent's at its end. The order matters: what is bound later lies over what was before, and the root is
/// read-only last.
std::vector<std::string> bubblewrap_arguments(const bubblewrap_layout& layout, const host_files& host);

}    // namespace caisson
