#pragma once

#include "adapters/host/local_sandbox.hpp"
#include "adapters/host/sandbox_measures.hpp"

namespace caisson {

/// A sandbox with its own root. Its writable file systems are tmpfs that end with its last process. If the server is root, the sandbox has
/// its own host uid.
class isolated_sandbox : public local_sandbox {
public:
    /// `uids` outlives the sandbox.
    isolated_sandbox(local_services services, sandbox_id id, local_record record, std::optional<run_directory> directory, live_set live,
        uid_allocator& uids)
        : local_sandbox(services, std::move(id), std::move(record), std::move(directory), std::move(live))
        , uids_(uids)
        , measures_(services.time, services.workers, services.locks)
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
    uid_allocator& uids_;
    mutable sandbox_measures measures_;    // opens its descriptors when asked
};

}    // namespace caisson
