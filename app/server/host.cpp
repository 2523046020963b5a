#include "app/server/host.hpp"

#include "adapters/bubblewrap/bubblewrap_runtime.hpp"
#include "adapters/containers/engine_host.hpp"
#include "adapters/crypto/digest.hpp"
#include "adapters/host/launcher.hpp"
#include "adapters/host/process_spawner.hpp"
#include "adapters/mock/mock_runtime.hpp"
#include "adapters/process/process_runtime.hpp"
#include "core/async/deadline.hpp"

#include <fcntl.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace caisson {

namespace {

using namespace std::chrono_literals;

local_runtime_options local_options(const server_config& config, const std::string& instance, const run_place& in_memory)
{
    local_runtime_options options{config.data_dir.string(), instance, config.launch_path.string(), config.agent_path.string()};
    options.launcher_has_agent = config.agent_path == config.launch_path.parent_path() / "caisson-agent";
    options.run_dirs = {options.data_dir + "/run"};
    if (!in_memory.path().empty())
        options.run_dirs.push_back(in_memory.path());
    return options;
}

bubblewrap_options options_of(const server_config& config, const std::string& instance, const run_place& in_memory)
{
    bubblewrap_options options;
    options.local = local_options(config, instance, in_memory);
    std::ranges::reverse(options.local.run_dirs);
    options.maker = config.bubblewrap.made_by == "bwrap" ? namespace_maker::bwrap : namespace_maker::automatic;
    options.bwrap_path = config.bubblewrap.path.string();
    options.first_uid = static_cast<uid_t>(config.bubblewrap.uid_first);
    options.last_uid = static_cast<uid_t>(config.bubblewrap.uid_first + config.bubblewrap.uid_count - 1);
    options.uid_lock_dir = uid_lock_directory();
    options.digests = {&md5_hex, &sha256_hex};
    constexpr std::int64_t part_of_uids = 8;    // the rest is for running sandboxes
    options.local.most_prepared =
        static_cast<std::size_t>(std::min(config.bubblewrap.max_prepared, config.bubblewrap.uid_count / part_of_uids));
    return options;
}

}    // namespace

std::string uid_lock_directory() { return "/run/caisson/uids"; }

cgroup_tree_options cgroup_options_of(const server_config& config, const std::string& instance)
{
    auto options = cgroup_options_of_this_process(instance);
    options.root = config.cgroup_root;
    return options;
}

host::host(const server_config& config, const std::string& instance, io_executor executor, timers& time, logger& log, worker_pool& work)
    : mark_(instance, config.data_dir.string())
    , run_place_(instance)
    , groups_(std::make_shared<system_cgroup_io>(), cgroup_options_of(config, instance))
{
    groups_.prepare();
    const auto is_v2 = [](const cgroup_member& member) { return member.version == cgroup_version::v2; };
    if (!config.cgroup_root.empty() && std::ranges::none_of(groups_.root().members(), is_v2))
        throw std::runtime_error("cgroups.root = \"" + config.cgroup_root + "\" cannot be used: " + groups_.refusal() +
                                 "; it must be an existing group of cgroup v2 that was delegated to this server");
    if (config.executions.groups_memory_bytes > 0) {
        const auto limited = groups_.limit_memory(config.executions.groups_memory_bytes);
        if (limited.has_error())
            log.warning("the memory of all sandboxes together is not bounded as it is to be", {{"what", limited.error().detail}});
    }
    bound_disk_reads(config.executions, log);
    local_services services{executor, time, log, work, groups_};
    forks_ = std::make_shared<fork_server>(fork_server_groups());
    services.forks = forks_;
    // Room for all networks that may be freed at once, and for those that may not be reused yet.
    services.networks = std::make_shared<used_networks>(static_cast<std::size_t>(2 * config.pool.max + config.pool.max_put_off));
    for (const auto& name : config.runtimes) {
        if (name == "bubblewrap") {
            runtimes_.push_back(std::make_unique<bubblewrap_runtime>(services, options_of(config, instance, run_place_)));
        } else if (name == "process") {
            log.warning("the runtime \"process\" is enabled: what it runs is NOT isolated from this host");
            runtimes_.push_back(std::make_unique<process_runtime>(services, local_options(config, instance, run_place_)));
        } else if (name == "mock") {
            log.warning("the runtime \"mock\" is enabled: what it runs is a script, not a program");
            runtimes_.push_back(std::make_unique<mock_runtime>(executor, time, log));
        } else if (is_of_engine(name)) {
            if (!containers_)
                containers_ = std::make_unique<containers>(config, local_options(config, instance, run_place_), services);
            has_images_ = true;
            runtimes_.push_back(containers_->make(name));
        } else {
            throw std::runtime_error("there is no runtime \"" + name + "\"; runtimes: bubblewrap, docker, gvisor, process, mock");
        }
    }
    const auto is_enabled = [&](const char* name) { return std::ranges::count(config.runtimes, name) > 0; };
    if (!is_enabled("bubblewrap")) {
        auto options = options_of(config, instance, run_place_);
        options.local.launcher_has_agent = false;    // it creates no sandboxes: no launcher waits for the agent
        left_over_.push_back(std::make_unique<bubblewrap_runtime>(services, std::move(options)));
    }
    if (!is_enabled("process"))
        left_over_.push_back(std::make_unique<process_runtime>(services, local_options(config, instance, run_place_)));
    // For left-over sandboxes of an engine that is no longer used. If it does not listen, there is nothing to wait for.
    if (!containers_ && docker::listener_of(config.docker.engine))
        containers_ = std::make_unique<containers>(config, local_options(config, instance, run_place_), services);
    for (const auto* name : {"docker", "gvisor"})
        if (containers_ && !is_enabled(name))
            left_over_.push_back(containers_->make(name));
}

void host::bound_disk_reads(const execution_config& config, logger& log)
{
    const disk_read_limits limits{config.disk_read_bytes_per_s, config.disk_reads_per_s};
    const auto bounded = groups_.limit_disk_reads(limits, block_devices());
    if (bounded.has_error() && limits.any())
        log.warning("what sandboxes read of a disk is not bounded", {{"what", bounded.error().detail}});
}

std::vector<unique_fd> host::fork_server_groups() const
{
    auto opened = groups_.open_for_agent(groups_.agents_group());
    return opened.has_error() ? std::vector<unique_fd>() : std::move(*opened);
}

host::~host()
{
    forks_->end();    // its process is in the groups that are removed next
    groups_.release();
    if (groups_.left_over_group(groups_.instance(), "").members().empty())
        mark_.remove();
}

std::vector<runtime*> host::enabled() const
{
    std::vector<runtime*> found;
    for (const auto& each : runtimes_)
        found.push_back(each.get());
    return found;
}

std::vector<runtime*> host::all() const
{
    auto found = enabled();
    for (const auto& each : left_over_)
        found.push_back(each.get());
    return found;
}

task<result<std::size_t>> host::sweep_packages() const
{
    if (!containers_)
        co_return std::size_t{0};
    co_return co_await containers_->sweep_packages();
}

task<result<std::string>> run_and_read(timers* time, std::vector<std::string> argv)
{
    auto pipe = make_pipe();
    const unique_fd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!pipe || !nothing)
        co_return error{errc::runtime_unavailable, "no file descriptors are left"};
    spawn_options options;
    options.path = argv.front();
    options.argv = argv;
    options.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
    options.descriptors.add(nothing.get());
    options.descriptors.add(pipe->write.get());
    options.descriptors.add(pipe->write.get());
    auto started = spawn_process(options);
    pipe->write.reset();
    if (started.has_error())
        co_return started.error();
    auto reading = read_until(std::move(pipe->read), std::nullopt, 64 << 10);
    auto text = co_await with_deadline(*time, time->steady_now() + 10s, std::move(reading));
    started->send(SIGKILL);
    static_cast<void>(co_await started->wait());
    co_return text;
}

}    // namespace caisson
