#include "app/server/containers.hpp"
#include "app/server/instance_mark.hpp"
#include "app/server/left_overs.hpp"
#include "app/server/server.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto ask_within = 5s;

task<> list_containers(docker::engine* on, result<std::vector<docker::container_summary>>* into)
{
    docker::containers all(*on);
    std::vector<std::string> labels{docker::instance_label};    // of any server
    *into = co_await all.list(std::move(labels), on->time().steady_now() + ask_within);
}

}    // namespace

std::vector<docker::foreign_server> find_foreign_containers(const server_config& config)
{
    if (std::ranges::none_of(config.runtimes, is_of_engine))
        return {};
    asio::io_context context(1);
    system_timers time;
    docker::engine on(context.get_executor(), time, engine_options_of(config.docker));
    result<std::vector<docker::container_summary>> listed;
    asio::co_spawn(context.get_executor(), list_containers(&on, &listed), [](std::exception_ptr failure) {
        if (failure)
            std::rethrow_exception(failure);
    });
    context.run();
    if (listed.has_error())
        return {};    // the probes report an engine that does not answer
    auto found = docker::foreign_servers_of(*listed, config.docker.name_prefix, instance_in(config.data_dir.string()));
    for (auto& each : found) {
        auto mark = instance_mark::of(each.instance);
        each.alive = mark.alive;
        each.data_dir = std::move(mark.data_dir);
    }
    return found;
}

}    // namespace caisson
