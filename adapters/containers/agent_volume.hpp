#pragma once

#include "adapters/engine/containers.hpp"
#include "core/async/notifier.hpp"
#include "core/async/offload.hpp"

#include <optional>
#include <string>

namespace caisson::docker {

/// A named volume with the agent's program, for an engine that does not see the server's files. The volume persists: the next server
/// with the same agent finds it filled.
class agent_volume {
public:
    /// All references must outlive it. `program` is the agent's path on this host.
    agent_volume(io_executor executor, engine& on, worker_pool& workers, std::string name, std::string program)
        : engine_(on), workers_(workers), name_(std::move(name)), agent_path_(std::move(program)), changed_(executor)
    {
    }

    const std::string& name() const { return name_; }
    /// Fills the volume unless it is known to be filled and unchanged. Creates the container `helper`, of any image, with the volume as its
    /// only mount; never starts it; removes it, also on failure. Concurrent callers wait. Errors: those of containers;
    /// errc::runtime_unavailable if the agent's file cannot be read; errc::timed_out after 90 s of waiting.
    task<result<void>> fill(container_spec helper);

private:
    class turn;

    task<result<void>> take_turn();
    /// The time when the engine created the volume. Errors: errc::not_found.
    task<result<std::string>> made_at();
    task<result<bool>> is_as_filled();
    task<result<void>> fill_now(container_spec helper);
    task<result<void>> fill_through(std::string container);
    task<bool> is_filled(std::string container, steady_time deadline);

    engine& engine_;
    worker_pool& workers_;
    std::string name_;
    std::string agent_path_;
    std::optional<std::string> filled_;    // made_at() of the volume known to be filled
    bool filling_ = false;
    notifier changed_;
};

}    // namespace caisson::docker
