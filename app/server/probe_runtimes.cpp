#include "app/server/host.hpp"
#include "app/server/probe_directory.hpp"
#include "app/server/server.hpp"

#include <boost/asio/co_spawn.hpp>

namespace caisson {

std::vector<runtime_capabilities> probe_runtimes(const server_config& config)
{
    asio::io_context context(1);
    system_timers time;
    null_logger log;
    worker_pool work("caisson-work", 1);
    const probe_directory directory;
    auto elsewhere = config;    // a probe does not touch the data directory
    elsewhere.data_dir = directory.path();
    const host here(elsewhere, directory.instance(), context.get_executor(), time, log, work);
    std::vector<runtime_capabilities> found;
    for (auto* each : here.enabled()) {
        asio::co_spawn(context.get_executor(), each->probe(), [](std::exception_ptr failure) {
            if (failure)
                std::rethrow_exception(failure);
        });
        context.restart();
        context.run();
        found.push_back(each->capabilities());
    }
    return found;
}

}    // namespace caisson
