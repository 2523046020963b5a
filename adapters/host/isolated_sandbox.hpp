#pragma once

#include "adapters/host/local_sandbox.hpp"
#include "adapters/host/lock_looks.hpp"

#include <map>

namespace caisson {

/// A sandbox with a root of its own, whose writable file systems are tmpfs that go with its last process, and, where the server is
/// root, with a host uid of its own.
class isolated_sandbox : public local_sandbox {
public:
    /// `uids` outlives it.
    isolated_sandbox(local_services services, sandbox_id id, local_record record, std::optional<run_directory> directory, live_set live,
        uid_allocator& uids)
        : local_sandbox(services, std::move(id), std::move(record), std::move(directory), std::move(live)), uids_(uids)
    {
    }

    /// Of the working directory.
    std::optional<disk_usage> disk() const override;
    std::int64_t uncounted_bytes(std::int64_t enough) const override;
    task<result<void>> destroy() override;

protected:
    /// Of the tmpfs at `place`, absolute and right below the sandbox's root; nothing if there is none.
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
    /// Of the tmpfs that were looked at, by their places: kept open (O_PATH), so that the next look is one call. What is in them is not
    /// freed before destroy() lets go of them.
    mutable std::map<std::string, unique_fd> roots_;
    mutable unique_fd netlink_;           // its table of netlink sockets, from the first look on
    mutable unique_fd socket_numbers_;    // likewise
    mutable steady_time next_udp_look_{};
    mutable steady_time next_lock_look_{};
    mutable steady_time asked_for_lock_look_{};    // last
    lock_looks::count locks_ = std::make_shared<std::atomic<std::int64_t>>();
};

}    // namespace caisson
