#pragma once

#include "core/base/error.hpp"
#include "core/base/unique_fd.hpp"

#include <sys/types.h>

#include <string>

namespace caisson {

/// A host uid that nobody else uses while the lock is held. The lock belongs to the open file: a process that inherits
/// descriptor() keeps it after this object is gone.
class uid_lease {
public:
    uid_lease(uid_t uid, std::string path, unique_fd file) : uid_(uid), path_(std::move(path)), file_(std::move(file)) { }

    uid_t uid() const { return uid_; }
    int descriptor() const { return file_.get(); }
    /// Removes the lock's file. Only when no process of the uid is left.
    void release() noexcept;

private:
    uid_t uid_;
    std::string path_;
    unique_fd file_;
};

/// Gives each sandbox its own host uid. All servers of a host share one directory of locks, so that no two of them give the
/// same uid away.
class uid_allocator {
public:
    uid_allocator(std::string directory, uid_t first, uid_t last)
        : directory_(std::move(directory)), first_(first), last_(last), next_(first)
    {
    }

    /// Errors: errc::runtime_unavailable if the directory cannot be used or every uid of the range is in use.
    result<uid_lease> acquire();
    /// Removes the lock's file of a uid that an earlier server gave away, unless somebody holds it. For a sandbox whose
    /// processes are gone.
    void clear(uid_t uid) noexcept;

private:
    std::string path_of(uid_t uid) const;

    std::string directory_;
    uid_t first_;
    uid_t last_;
    uid_t next_;
};

}    // namespace caisson
