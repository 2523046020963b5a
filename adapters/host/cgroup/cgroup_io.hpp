#pragma once

#include "core/base/unique_fd.hpp"

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A file of a group, for repeated reads.
class cgroup_file {
public:
    virtual ~cgroup_file() = default;
    /// Its whole current content; nothing if it cannot be read.
    virtual std::optional<std::string> read() const = 0;
};

/// File system access of the cgroup code, so that tests can substitute a directory of plain files. Returns 0 or errno.
class cgroup_io {
public:
    virtual ~cgroup_io() = default;

    /// From now on paths below `directory` may be looked up relative to it, which is faster. Call before other threads use this object.
    virtual void look_up_from(const std::string& directory) { (void)directory; }
    /// 0 also if it exists already.
    virtual int make_directory(const std::string& path) = 0;
    /// 0 also if it does not exist.
    virtual int remove_directory(const std::string& path) = 0;
    virtual int write(const std::string& path, std::string_view text) = 0;
    virtual std::optional<std::string> read(const std::string& path) const = 0;
    /// Never null, even if the file does not exist. This object outlives it.
    virtual std::unique_ptr<cgroup_file> open_to_read(const std::string& path) const;
    virtual bool exists(const std::string& path) const = 0;
    /// Opens for writing; invalid if that fails.
    virtual unique_fd open(const std::string& path) = 0;
    /// Names of the directories in `path`.
    virtual std::vector<std::string> directories(const std::string& path) const = 0;
    /// Sends SIGKILL. 0 also if there is no such process.
    virtual int kill(pid_t pid) = 0;
};

/// The real file system.
class system_cgroup_io : public cgroup_io {
public:
    void look_up_from(const std::string& directory) override;
    int make_directory(const std::string& path) override;
    int remove_directory(const std::string& path) override;
    int write(const std::string& path, std::string_view text) override;
    std::optional<std::string> read(const std::string& path) const override;
    std::unique_ptr<cgroup_file> open_to_read(const std::string& path) const override;
    bool exists(const std::string& path) const override;
    unique_fd open(const std::string& path) override;
    std::vector<std::string> directories(const std::string& path) const override;
    int kill(pid_t pid) override;

private:
    struct start {
        std::string directory;    // with trailing slash
        unique_fd opened;
    };
    /// Arguments for openat(2) and similar calls.
    struct place {
        int directory;
        const char* path;
    };
    place find(const std::string& path) const;

    std::vector<start> starts_;
};

}    // namespace caisson
