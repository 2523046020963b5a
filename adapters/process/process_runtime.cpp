#include "adapters/process/process_runtime.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson {

namespace {

/// Programs see the host's own paths.
class process_sandbox : public local_sandbox {
public:
    using local_sandbox::local_sandbox;
    std::string work_directory() const override { return directory().path() + "/work"; }
};

}    // namespace

process_runtime::process_runtime(local_services services, local_runtime_options options)
    : local_runtime("process", services, std::move(options))
{
}

std::unique_ptr<local_sandbox> process_runtime::make_sandbox(sandbox_id id, local_record record, std::optional<run_directory> directory)
{
    return std::make_unique<process_sandbox>(services(), std::move(id), std::move(record), std::move(directory), live());
}

result<void> process_runtime::prepare(local_sandbox& created)
{
    if (::mkdir(created.work_directory().c_str(), 0700) != 0)
        return error{errc::runtime_unavailable, "work directory: " + std::string(std::strerror(errno))};
    for (const auto& tree : created.trees())
        if (::symlink(tree.host_path.c_str(), (created.work_directory() + "/" + tree.place).c_str()) != 0)
            return error{errc::runtime_unavailable, tree.place + " in the work directory: " + std::strerror(errno)};
    return {};
}

task<result<void>> process_runtime::start_local(local_sandbox* created)
{
    auto& box = *created;
    const unique_fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const unique_fd log = box.directory().open_log();
    const unique_fd listener = std::move(box.listener());
    auto join = services().groups.open_for_agent(box.record().group.part(agent_part));
    if (join.has_error())
        co_return join.error();
    if (!null || !log || !listener)
        co_return error{errc::runtime_unavailable, "the agent cannot be given its descriptors"};

    launch_request request{.launch_path = options().launch_path,
        .is_forked = options().launcher_has_agent,
        .rlimits = {baseline_rlimits().front()},
        .executable = options().agent_path};
    for (const int fd : {null.get(), log.get(), log.get()})
        request.descriptors.add(fd);
    const int listen_fd = request.descriptors.add(listener.get());
    request.argv = {"caisson-agent", "--subreaper", "--work", box.work_directory(), "--listen-fd", std::to_string(listen_fd)};
    request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
    for (const auto& fd : *join)
        request.join.push_back(fd.get());

    auto agent = co_await launch(services().time, services().workers, *services().forks, std::move(request));
    if (agent.has_error())
        co_return agent.error();
    auto again = process_handle::open(agent->identity());
    box.adopt_monitor(std::move(*agent));
    if (!again)
        co_return error{errc::runtime_unavailable, "the agent ended at once: " + box.directory().first_log_line()};
    co_return box.adopt_agent(std::move(*again));
}

std::optional<std::string> process_runtime::missing() const
{
    if (auto reason = not_executable(options().launch_path, "it belongs beside the server's executable"))
        return reason;
    return not_executable(options().agent_path, "it belongs beside the server's executable");
}

result<void> process_runtime::inspect(const local_sandbox&, runtime_capabilities& found)
{
    found.degraded.push_back({"isolation", "programs run on the host as the server's own user", "use the bubblewrap runtime"});
    found.degraded.push_back({"disk", "the work directory has no limit of its own", "use the bubblewrap runtime"});
    return {};
}

}    // namespace caisson
