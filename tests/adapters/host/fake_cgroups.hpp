#pragma once

#include "adapters/host/cgroup/cgroup_io.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace caisson::testing {

/// cgroup v2 in memory: the files that the kernel makes with a directory, the rules for handing controllers down and for
/// removing, and an atomic kill. `mount` is the top, which has no cgroup.type; give it one for the top of a cgroup namespace.
class fake_cgroups : public cgroup_io {
public:
    fake_cgroups(std::string mount, const std::string& controllers);

    int make_directory(const std::string& path) override;
    int remove_directory(const std::string& path) override;
    int write(const std::string& path, std::string_view text) override;
    std::optional<std::string> read(const std::string& path) const override;
    bool exists(const std::string& path) const override;
    unique_fd open(const std::string& path) override;
    std::vector<std::string> directories(const std::string& path) const override;
    int kill(pid_t pid) override
    {
        killed.push_back(pid);
        return kill_refusal;
    }

    /// Puts a process in a group, as the kernel would show it.
    void add_process(const std::string& group, pid_t pid);
    void set(const std::string& path, std::string text) { files_[path] = std::move(text); }

    std::map<std::string, int> refusals;    // errno for writes to a path, or for making a directory
    std::set<std::string> busy;             // groups that the kernel does not let go yet
    std::vector<pid_t> killed;
    int kill_refusal = 0;    // errno

private:
    void make_files(const std::string& path, const std::string& controllers);
    void add_controllers(const std::string& path, const std::string& controllers);
    int is_populated(const std::string& group) const;
    int enable(const std::string& group, std::string_view text);

    std::string mount_;
    std::map<std::string, std::string> files_;
    std::set<std::string> groups_;
};

}    // namespace caisson::testing
