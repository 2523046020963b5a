#pragma once

#include "adapters/host/local_sandbox.hpp"
#include "adapters/host/lock_looks.hpp"

#include <map>

namespace caisson {

/// A sandbox with its own root. Its writable file systems are tmpfs that end with its last process. If the server is root, the sandbox has
/// its own host uid.
class isolated_sandbox : public local_sandbox {
public:
    /// `uids` outlives the sandbox.
    isolated_sandbox(local_services services, sandbox_id id, local_record record, std::optional<run_directory> directory, live_set live,
        uid_allocator& uids)
        : local_sandbox(services, std::move(id), std::move(record), std::move(directory), std::move(live)), uids_(uids)
    {
    }

    /// Usage of the working directory.
    std::optional<disk_usage> disk() const override;
    std::int64_t uncounted_bytes(std::int64_t enough) const override;
    task<result<void>> destroy() override;

protected:
    /// Usage of the tmpfs at `place`, absolute and directly below the sandbox's root; nothing if there is none.
    std::optional<disk_usage> disk_at(const std::string& place) const;
    void release_uid() override;

private:
    unique_fd find_root(const std::string& place) const;
    void find_sockets() const;
    std::int64_t socket_bytes(std::int64_t enough) const;
    std::int64_t own_udp_bytes(std::int64_t enough) const;
    std::int64_t lock_bytes(std::int64_t enough) const;

    uid_allocator& uids_;
    bool is_leaving_ = false;    // destroy() was called
    /// Descriptors (O_PATH) of the tmpfs seen so far, by place, so that the next disk_at() is one call. They keep the content until
    /// destroy() closes them.
    mutable std::map<std::string, unique_fd> roots_;
    mutable unique_fd netlink_;           // the sandbox's netlink socket table, from the first count on
    mutable unique_fd socket_numbers_;    // the sandbox's sockstat, likewise
    mutable steady_time next_udp_look_{};
    mutable steady_time next_lock_look_{};
    mutable steady_time asked_for_lock_look_{};    // last request
    lock_looks::count locks_ = std::make_shared<std::atomic<std::int64_t>>();
};

}    // namespace caisson
