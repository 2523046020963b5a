#pragma once

#include "adapters/host/local_record.hpp"
#include "adapters/host/local_services.hpp"
#include "adapters/host/run_directory.hpp"

#include <optional>
#include <string>
#include <vector>

namespace caisson {

class local_sandbox;

/// What one runtime's sandboxes have on the host, whether they have an object or not: run directories, groups, and processes that write to
/// their logs. Records of other runtimes are not its business. I/O thread.
class sandbox_traces {
public:
    /// `run_dirs`: those of all runtimes of the server.
    sandbox_traces(local_services services, std::string runtime, std::vector<std::string> run_dirs)
        : services_(std::move(services)), runtime_(std::move(runtime)), run_dirs_(std::move(run_dirs))
    {
    }

    /// Ids of the sandboxes of this server's instance that have traces but no object. Each once.
    task<std::vector<sandbox_id>> ids() const;
    std::optional<run_directory> open_directory(const sandbox_id& id) const;
    /// The record in `directory`, else `runtime_state`, else one that names the group that a sandbox with this id would have. Nothing if
    /// the record is another runtime's.
    std::optional<local_record> record_of(
        const sandbox_id& id, const std::optional<run_directory>& directory, const std::string& runtime_state) const;
    /// Removes every trace of a sandbox. Errors: the detail names what could not be removed.
    task<result<void>> remove(local_sandbox* left) const;

private:
    std::optional<local_record> parse(const std::string& text) const;
    bool is_of_another_runtime(const sandbox_id& id) const;
    task<> kill_unrecorded(sandbox_id id) const;

    local_services services_;
    std::string runtime_;
    std::vector<std::string> run_dirs_;
};

}    // namespace caisson
