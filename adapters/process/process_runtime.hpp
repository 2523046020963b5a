#pragma once

#include "adapters/host/launcher.hpp"
#include "adapters/host/local_runtime.hpp"

namespace caisson {

/// Runs programs as processes of this host with the server's own user: they can read and change what the server can. For trusted programs
/// only. Each sandbox has a session, a clean environment, a work directory below its run directory and, with cgroups, limits. Trees are
/// symbolic links in it: programs can change the trees. Its agent is a subreaper, so that no process escapes it.
class process_runtime : public local_runtime {
public:
    process_runtime(local_services services, local_runtime_options options);

    runtime_traits traits() const override { return {.isolates = false, .protects_agent = false}; }

protected:
    std::unique_ptr<local_sandbox> make_sandbox(sandbox_id id, local_record record, std::optional<run_directory> directory) override;
    result<void> prepare(local_sandbox& created) override;
    task<result<void>> start_local(local_sandbox* created) override;
    std::optional<std::string> missing() const override;
    result<void> inspect(const local_sandbox& running, runtime_capabilities& found) override;
};

}    // namespace caisson
