#include "app/server/containers.hpp"

#include "adapters/containers/docker_runtime.hpp"
#include "adapters/containers/engine_host.hpp"
#include "adapters/containers/engine_runtime.hpp"
#include "adapters/crypto/digest.hpp"
#include "app/server/host.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace caisson {

namespace {

/// Directory of unpacked skill packages.
std::string trees_of(const server_config& config) { return std::filesystem::absolute(config.data_dir / "skills").string(); }

/// Checks for the marks that engines set in their containers.
bool is_in_container()
{
    return ::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0 || std::getenv("container") != nullptr;
}

disk_read_limits disk_reads_of(const execution_config& config) { return {config.disk_read_bytes_per_s, config.disk_reads_per_s}; }

/// Volume name by the agent's content: each version of the agent has a volume of its own.
std::string volume_of(const std::filesystem::path& agent)
{
    constexpr std::size_t digits = 16;
    std::ifstream file(agent, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return "caisson-agent-" + sha256_hex(bytes).substr(0, digits);
}

}    // namespace

docker::engine_options engine_options_of(const docker_config& config)
{
    docker::engine_options options;
    options.address = config.engine;
    options.ca_file = config.ca_file;
    options.certificate_file = config.certificate_file;
    options.key_file = config.key_file;
    return options;
}

bool is_of_engine(std::string_view runtime) { return runtime == "docker" || runtime == "gvisor"; }

containers::containers(const server_config& config, local_runtime_options local, local_services services)
    : config_(config)
    , local_(std::move(local))
    , services_(std::move(services))
    , engine_(services_.executor, services_.time, engine_options_of(config.docker))
    , images_(engine_)
    , packages_(services_.executor, engine_, services_.log, services_.workers, {local_.instance, trees_of(config)})
    , on_engine_{services_.executor, services_.time, services_.log, engine_}
{
    on_engine_.packages = &packages_;
}

bool containers::is_there() const { return docker::listener_of(config_.docker.engine).has_value(); }

/// With link "auto": an engine that does not answer now counts as one of this host, unless the server runs in a container.
bool containers::reaches_by_socket(const std::string& link) const
{
    if (link != "auto")
        return link == "socket";
    if (!engine_.local() || ::geteuid() != 0)
        return false;
    if (!is_there())
        return !is_in_container();
    return !docker::why_not_beside(engine_.address(), config_.data_dir.string());
}

std::unique_ptr<runtime> containers::make(const std::string& name)
{
    // gVisor does not let containers connect to sockets of the host.
    const bool by_socket = name == "docker" && reaches_by_socket(config_.docker.link);
    return by_socket ? make_beside(name) : make_anywhere(name);
}

std::unique_ptr<runtime> containers::make_beside(const std::string& name)
{
    docker_options options;
    options.local = local_;
    options.name = name;
    options.engine_runtime = config_.docker.engine_runtime;
    options.name_prefix = config_.docker.name_prefix;
    options.default_image = config_.images.standard;
    options.trial_image = config_.docker.probe_image;
    options.images = config_.images.allowed;
    options.first_uid = static_cast<uid_t>(config_.bubblewrap.uid_first);
    options.last_uid = static_cast<uid_t>(config_.bubblewrap.uid_first + config_.bubblewrap.uid_count - 1);
    options.uid_lock_dir = uid_lock_directory();
    options.disk_reads = disk_reads_of(config_.executions);
    return std::make_unique<docker_runtime>(services_, engine_, std::move(options));
}

std::unique_ptr<runtime> containers::make_anywhere(const std::string& name)
{
    engine_runtime_options options;
    options.name = name;
    options.instance = local_.instance;
    options.engine_runtime = name == "gvisor" ? config_.gvisor.engine_runtime : config_.docker.engine_runtime;
    options.name_prefix = config_.docker.name_prefix;
    options.user = config_.docker.user;
    options.agent_path = config_.agent_path.string();
    const bool sees_files =
        engine_.local() && (is_there() ? !docker::why_not_beside(engine_.address(), options.agent_path) : !is_in_container());
    if (!sees_files)
        options.agent_volume = volume_of(config_.agent_path);
    options.sees_disks = sees_files;
    options.disk_reads = disk_reads_of(config_.executions);
    options.default_image = config_.images.standard;
    options.trial_image = config_.docker.probe_image;
    options.images = config_.images.allowed;
    return std::make_unique<engine_runtime>(on_engine_, services_.workers, std::move(options));
}

}    // namespace caisson
