#pragma once

#include "adapters/engine/containers.hpp"
#include "core/async/notifier.hpp"
#include "core/async/offload.hpp"

#include <optional>
#include <string>

namespace caisson::docker {

/// A named volume of an engine that does not see the server's files, with the agent's program in it. It stays: the next server with the
/// same agent finds it filled.
class agent_volume {
public:
    /// All outlive it. `program` is the agent on this host.
    agent_volume(io_executor executor, engine& on, worker_pool& workers, std::string name, std::string program)
        : engine_(on), workers_(workers), name_(std::move(name)), agent_path_(std::move(program)), changed_(executor)
    {
    }

    const std::string& name() const { return name_; }
    /// Fills it if it is not known to be filled, or no longer what was filled, through `helper`: a container of any image with other
    /// mounts than the volume removed, which is never started, and which is removed in the end, also on failure. Who asks meanwhile waits
    /// for it. Errors: those of containers; errc::runtime_unavailable if the agent's file cannot be read.
    task<result<void>> fill(container_spec helper);

private:
    class turn;

    task<result<void>> take_turn();
    /// When the engine made it. Errors: errc::not_found.
    task<result<std::string>> made_at();
    task<result<bool>> is_as_filled();
    task<result<void>> fill_now(container_spec helper);
    task<result<void>> fill_through(std::string container);
    task<bool> is_filled(std::string container, steady_time deadline);

    engine& engine_;
    worker_pool& workers_;
    std::string name_;
    std::string agent_path_;
    std::optional<std::string> filled_;    // that which was made then
    bool filling_ = false;
    notifier changed_;
};

}    // namespace caisson::docker
