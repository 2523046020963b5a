#include "adapters/containers/docker_runtime.hpp"
#include "adapters/containers/engine_host.hpp"
#include "adapters/containers/trial_images.hpp"
#include "adapters/host/cgroup/kernel_text.hpp"
#include "adapters/host/small_file.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

/// The runtime's probe of its capabilities on this host.
namespace caisson {

using namespace std::chrono_literals;

namespace {

/// True if the agent holds a Landlock ruleset, as it does if possible.
bool has_landlock(pid_t agent)
{
    std::error_code failed;
    for (std::filesystem::directory_iterator each("/proc/" + std::to_string(agent) + "/fd", failed), end; !failed && each != end;
        each.increment(failed)) {
        std::error_code gone;
        if (std::filesystem::read_symlink(each->path(), gone).string().find("landlock") != std::string::npos)
            return true;
    }
    return false;
}

}    // namespace

task<> docker_runtime::probe()
{
    has_image_ = co_await has_an_image();
    bounds_disks_ = options_.disk_reads.any() && !paths_of(block_devices()).empty();
    co_await local_runtime::probe();
    if (capabilities().available || !bounds_disks_)
        co_return;
    bounds_disks_ = false;    // the engine's host may have other disks
    co_await local_runtime::probe();
}

/// False if the engine is known to have none of the config's images.
task<bool> docker_runtime::has_an_image()
{
    const auto deadline = services().time.steady_now() + 5s;
    for (const auto& each : options_.images) {
        const auto found = co_await images_.inspect(each, deadline);
        if (found.has_value() || found.error().code != errc::not_found)
            co_return true;
    }
    co_return options_.images.empty();
}

/// The agent needs no files of an image.
void docker_runtime::fit_trial(sandbox_spec& spec) const
{
    spec.image = options_.trial_image.empty() ? trial_image_of(spec.id) : options_.trial_image;
}

std::optional<std::string> docker_runtime::missing() const
{
    if (auto reason = not_executable(options().agent_path, "it belongs beside the server's executable"))
        return reason;
    if (::geteuid() != 0)
        return "the server is not root: only then can it give containers' programs groups of its own";
    return docker::why_not_beside(engine_.address(), std::filesystem::absolute(options().data_dir).lexically_normal().string());
}

result<void> docker_runtime::inspect(const local_sandbox& running, runtime_capabilities& found)
{
    const auto status = read_small_file("/proc/" + std::to_string(running.record().agent->pid) + "/status").value_or("");
    constexpr std::string_view none = "0000000000000000";
    if (status_value(status, "NoNewPrivs") != "1" || status_value(status, "CapEff") != none || status_value(status, "CapBnd") != none)
        return error{errc::runtime_unavailable,
            "a container was made, but with capabilities or without no-new-privileges: the engine does not do what it is told"};
    found.isolates = true;
    found.pauses = true;
    found.enforces_disk = running.disk().has_value();
    report_weaknesses(running, status, found);
    return {};
}

void docker_runtime::report_weaknesses(const local_sandbox& running, std::string_view agent_status, runtime_capabilities& found) const
{
    if (!found.enforces_disk)
        found.degraded.push_back(
            {"disk", "how full a sandbox is cannot be seen from outside", "let the server see its sandboxes' /proc/PID/root"});
    if (status_value(agent_status, "Seccomp") != "2")
        found.degraded.push_back({"seccomp", "the engine starts containers without a filter of system calls; programs have the server's",
            "switch the engine's seccomp profile on"});
    if (!has_landlock(running.record().agent->pid))
        found.degraded.push_back({"landlock", "containers are without Landlock, the second layer of file system rules",
            "use Linux 5.13 or newer with landlock in its lsm= list, and an engine whose seccomp profile allows it"});
    if (!running.record().group.controls(cgroup_control::freeze))
        found.degraded.push_back({"pause", "a sandbox that is paused stands still with its agent", "give the server a freezer cgroup"});
    const bool is_told = std::ranges::count(found.degraded, "disk_reads", &degradation::control) > 0;
    if (options_.disk_reads.any() && !bounds_disks_ && !is_told)
        found.degraded.push_back({"disk_reads", "the engine does not bound what its containers read of this host's disks",
            "run the engine on the server's host, with the io controller"});
    if (!has_image_)
        found.degraded.push_back({"image", "the engine has none of the images that are allowed", "docker pull " + options_.images.front()});
}

}    // namespace caisson
