#pragma once

#include "core/adapters/spawn/local_sandbox.hpp"

namespace caisson {

/// A sandbox that bwrap holds. Its file systems live in its mount namespace alone and go with its last process.
class bubblewrap_sandbox : public local_sandbox {
public:
    /// `uids` outlives it.
    bubblewrap_sandbox(local_services services, sandbox_id id, local_record record, std::optional<run_directory> directory, live_set live,
        uid_allocator& uids)
        : local_sandbox(services, std::move(id), std::move(record), std::move(directory), std::move(live)), uids_(uids)
    {
    }

    std::optional<disk_usage> disk() const override;

protected:
    void release_uid() override;

private:
    uid_allocator& uids_;
};

}    // namespace caisson
