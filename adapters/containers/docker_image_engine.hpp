#pragma once

#include "adapters/engine/images.hpp"
#include "core/images/ports.hpp"

namespace caisson {

/// The images of a Docker Engine.
class docker_image_engine : public image_engine {
public:
    /// `on` must outlive it.
    explicit docker_image_engine(docker::engine& on) : engine_(on), images_(on) { }

    task<result<stored_image>> inspect(std::string reference, steady_time deadline) override;
    /// All images except the trial images of servers' probes.
    task<result<std::vector<stored_image>>> list(steady_time deadline) override;
    task<result<void>> pull(std::string reference, std::optional<registry_login> login, image_watcher watcher,
        std::chrono::milliseconds stall, steady_time deadline) override;
    task<result<void>> import(std::string reference, tar_source* tar, std::vector<std::string> changes) override;
    task<result<std::vector<std::string>>> load(tar_source* tar) override;
    task<result<void>> remove(std::string reference, steady_time deadline) override;
    task<> follow(image_listener to) override;

private:
    docker::engine& engine_;
    docker::images images_;
};

}    // namespace caisson
