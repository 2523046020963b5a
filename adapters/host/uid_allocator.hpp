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

/// The holder of a uid, as recorded in the lock file.
struct uid_owner {
    std::string instance;    // of the server
    std::string data_dir;
    sandbox_id sandbox;
    std::string pid_namespace;    // set by acquire(): only processes of this namespace can be checked

    std::string to_json() const;
    /// Nothing if `text` is not from to_json().
    static std::optional<uid_owner> from_json(std::string_view text);
};

/// A host uid that nobody else uses. It stays taken while its lock file exists, even after this object: no server of the host reuses the
/// uid of a sandbox that could not be removed. A lock on the file shows that a holder is alive. The lock belongs to the open file: a
/// process that inherits descriptor() keeps it.
class uid_lease {
public:
    uid_lease(uid_t uid, std::string path, unique_fd file) : uid_(uid), path_(std::move(path)), file_(std::move(file)) { }

    uid_t uid() const { return uid_; }
    int descriptor() const { return file_.get(); }
    /// Removes the lock file. Call only when nothing of the sandbox is left.
    void release() noexcept;

private:
    uid_t uid_;
    std::string path_;
    unique_fd file_;
};

/// Gives each sandbox its own host uid. All servers of a host share the directory of lock files, so that no uid is given twice.
class uid_allocator {
public:
    uid_allocator(std::string directory, uid_t first, uid_t last)
        : directory_(std::move(directory)), first_(first), last_(last), next_(first)
    {
    }

    /// Thread-safe. Errors: errc::runtime_unavailable if the directory cannot be used, a lock file cannot be made or locked (the detail
    /// names it), or every uid of the range is taken.
    result<uid_lease> acquire(uid_owner owner);
    /// Removes the lock file of a uid that an earlier server gave to `sandbox`, unless a process holds the lock. Call only when nothing of
    /// the sandbox is left.
    void clear(uid_t uid, const sandbox_id& sandbox) noexcept;

private:
    std::string path_of(uid_t uid) const;

    std::string directory_;
    uid_t first_;
    uid_t last_;
    std::mutex taking_;    // several workers acquire uids
    uid_t next_;
};

/// Removes abandoned lock files in `directory`: unlocked, without a process of that uid, and with `is_left` false for the owner. A file
/// without owner is from a server killed while writing it. Files from other pid namespaces stay. Returns the number removed. Scans every
/// process: call on a worker.
std::size_t sweep_uid_locks(const std::string& directory, const std::function<bool(const uid_owner&)>& is_left);

}    // namespace caisson
