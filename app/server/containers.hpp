#pragma once

#include "adapters/containers/docker_image_engine.hpp"
#include "adapters/containers/engine_sandbox.hpp"
#include "adapters/engine/engine.hpp"
#include "adapters/host/local_runtime.hpp"
#include "core/base/config.hpp"

#include <memory>
#include <string>

namespace caisson {

/// True if this runtime creates its sandboxes on the container engine.
bool is_of_engine(std::string_view runtime);

/// Connection options for the configured engine.
docker::engine_options engine_options_of(const docker_config& config);

/// The configured container engine and the factory of its runtimes. Outlives them.
class containers {
public:
    /// Sends nothing to the engine yet. `config` and what `services` refers to outlive it. Throws std::runtime_error for an invalid address
    /// or unusable files.
    containers(const server_config& config, local_runtime_options local, local_services services);

    image_engine& images() { return images_; }
    /// Creates the runtime "docker" or "gvisor" with the configured link; "auto" takes one that works here.
    std::unique_ptr<runtime> make(const std::string& name);
    /// Removes unneeded package volumes of the engine, see package_volumes::sweep().
    task<result<std::size_t>> sweep_packages() { return packages_.sweep(); }
    /// True if something listens at the engine's address and that is a socket of this host.
    bool is_there() const;

private:
    bool reaches_by_socket(const std::string& link) const;
    std::unique_ptr<runtime> make_beside(const std::string& name);
    std::unique_ptr<runtime> make_anywhere(const std::string& name);

    const server_config& config_;
    local_runtime_options local_;
    local_services services_;
    docker::engine engine_;
    docker_image_engine images_;
    docker::package_volumes packages_;
    engine_services on_engine_;    // shared by all runtimes
};

}    // namespace caisson
