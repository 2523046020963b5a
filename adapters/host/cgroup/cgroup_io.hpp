#pragma once

#include "core/base/unique_fd.hpp"

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caisson {

/// A file of a group that is read again and again.
class cgroup_file {
public:
    virtual ~cgroup_file() = default;
    /// All of it, as it is now; nothing if it cannot be read.
    virtual std::optional<std::string> read() const = 0;
};

/// What cgroup code does to a file system, so that tests can stand a directory of plain files in for one. Returns errno or 0.
class cgroup_io {
public:
    virtual ~cgroup_io() = default;

    /// From now on what is below `directory` may be looked up from there, which is the shorter way. Call it before several threads use
    /// this.
    virtual void look_up_from(const std::string& directory) { (void)directory; }
    /// 0 also if it exists.
    virtual int make_directory(const std::string& path) = 0;
    /// 0 also if it does not exist.
    virtual int remove_directory(const std::string& path) = 0;
    virtual int write(const std::string& path, std::string_view text) = 0;
    virtual std::optional<std::string> read(const std::string& path) const = 0;
    /// Never null; the file need not be there. This object outlives it.
    virtual std::unique_ptr<cgroup_file> open_to_read(const std::string& path) const;
    virtual bool exists(const std::string& path) const = 0;
    /// For writing; invalid if it cannot be opened.
    virtual unique_fd open(const std::string& path) = 0;
    /// Names of the directories in `path`.
    virtual std::vector<std::string> directories(const std::string& path) const = 0;
    /// SIGKILL. 0 also if there is no such process.
    virtual int kill(pid_t pid) = 0;
};

/// The real one.
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
        std::string directory;    // with the slash behind it
        unique_fd opened;
    };
    /// For the calls of openat(2)'s kind.
    struct place {
        int directory;
        const char* path;
    };
    place find(const std::string& path) const;

    std::vector<start> starts_;
};

}    // namespace caisson
