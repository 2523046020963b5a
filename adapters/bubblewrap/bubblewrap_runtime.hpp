#pragma once

#include "adapters/bubblewrap/arguments.hpp"
#include "adapters/bubblewrap/memory_file.hpp"
#include "adapters/bubblewrap/public_files.hpp"
#include "adapters/bubblewrap/remedies.hpp"
#include "adapters/host/launcher.hpp"
#include "adapters/host/local_runtime.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace caisson {

/// What creates the namespaces: the launcher where possible (as root, if views show all of the host's programs), else bwrap.
enum class namespace_maker { automatic, bwrap };

struct bubblewrap_options {
    local_runtime_options local;
    namespace_maker maker = namespace_maker::automatic;
    std::string bwrap_path = "/usr/bin/bwrap";
    uid_t first_uid = 700'000;    // range of host uids for sandboxes if the server is root
    uid_t last_uid = 765'535;
    std::string uid_lock_dir = "/run/caisson/uids";    // shared by all servers of the host
    public_digests digests = {};                       // required
};

/// Sandboxes of namespaces (user, pid, mount, network, ipc, uts, cgroup), built by bwrap or, where possible, the launcher (ADR 17). They
/// have a read-only root, bounded tmpfs for /workspace, /tmp and /dev/shm, no capabilities, a seccomp filter, and Landlock where the kernel
/// has it. The host's /usr has its own inodes through an overlay, so that locks and watches are not shared; as root also device nodes and
/// /proc/sys. As root each sandbox has its own host uid, else the server's.
class bubblewrap_runtime : public local_runtime {
public:
    bubblewrap_runtime(local_services services, bubblewrap_options options);

    runtime_traits traits() const override { return {.fast_create = true, .filters_agents = true}; }

protected:
    std::unique_ptr<local_sandbox> make_sandbox(sandbox_id id, local_record record, std::optional<run_directory> directory) override;
    result<void> prepare(local_sandbox& /*created*/) override { return {}; }
    result<void> take_uid(local_sandbox& created) override;
    task<result<void>> start_local(local_sandbox* created) override;
    std::optional<std::string> missing() const override;
    result<void> inspect(const local_sandbox& running, runtime_capabilities& found) override;
    std::string explain(const std::string& failure) const override { return with_remedy(failure); }

private:
    struct inherited;    // descriptors that a launch passes on

    result<launch_request> open_inherited(local_sandbox& created, inherited& files) const;
    launch_request request_for(const local_sandbox& created, const inherited& files, const std::filesystem::path& shown) const;
    whole_sandbox whole_of(const bubblewrap_layout& layout) const;
    void report_shared_inodes(pid_t agent, runtime_capabilities& found) const;
    task<result<process_handle>> read_agent(unique_fd info, const run_directory* directory);

    bubblewrap_options options_;
    uid_allocator uids_;
    memory_file seccomp_;
    host_files host_;
    std::vector<std::string> views_;    // of the host at construction
    mutable public_files public_;       // shown to sandboxes as /etc and /var
    bool shows_agent_;                  // the agent's file need not be copied
    bool made_by_launcher_;             // the launcher builds sandboxes without bwrap
    bool agent_built_in_ = false;       // the launcher's process becomes the agent: no agent file is mounted
};

}    // namespace caisson
