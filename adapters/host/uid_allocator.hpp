#pragma once

#include "core/base/error.hpp"
#include "core/base/ids.hpp"
#include "core/base/unique_fd.hpp"

#include <sys/types.h>

#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace caisson {

/// Whom a uid was given to, as its lock's file says.
struct uid_owner {
    std::string instance;    // of the server
    std::string data_dir;
    sandbox_id sandbox;
    std::string pid_namespace;    // filled in when the uid is given: whose processes can be judged

    std::string to_json() const;
    /// Nothing if `text` is not what to_json() writes.
    static std::optional<uid_owner> from_json(std::string_view text);
};

/// A host uid that nobody else uses. It is taken as long as its lock's file exists, whatever becomes of this object: a uid whose
/// sandbox could not be removed is not given again, by no server of the host. The lock on the file says that somebody lives
/// who answers for it: it belongs to the open file, and a process that inherits descriptor() keeps it.
class uid_lease {
public:
    uid_lease(uid_t uid, std::string path, unique_fd file) : uid_(uid), path_(std::move(path)), file_(std::move(file)) { }

    uid_t uid() const { return uid_; }
    int descriptor() const { return file_.get(); }
    /// Removes the lock's file. Only when nothing of the sandbox is left.
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

    /// On any thread. Errors: errc::runtime_unavailable if the directory cannot be used or every uid of the range is taken.
    result<uid_lease> acquire(uid_owner owner);
    /// Removes the lock's file of a uid that an earlier server gave to `sandbox`, unless somebody holds it. For a sandbox of
    /// which nothing is left.
    void clear(uid_t uid, const sandbox_id& sandbox) noexcept;

private:
    std::string path_of(uid_t uid) const;

    std::string directory_;
    uid_t first_;
    uid_t last_;
    std::mutex taking_;    // sandboxes are prepared on several workers
    uid_t next_;
};

/// Removes the locks in `directory` that nobody answers for any more: not locked, no process of the uid, and `is_left` of the owner
/// is false. A lock without an owner is one of a server that was killed while it made it. Locks that were made in another
/// pid namespace stay. Returns how many were removed. Looks at every process: call it on a worker.
std::size_t sweep_uid_locks(const std::string& directory, const std::function<bool(const uid_owner&)>& is_left);

}    // namespace caisson
