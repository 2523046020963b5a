#pragma once

#include "app/cli/api_client.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <optional>

namespace caisson::cli {

/// The event loop of one client verb, with its connection to the server.
class client_session {
public:
    explicit client_session(server_access access) : api_(io_.get_executor(), time_, std::move(access)) { }

    api_client& api() { return api_; }
    timers& time() { return time_; }
    io_executor executor() { return io_.get_executor(); }

    /// Runs the loop until `work` is done. Returns its value or rethrows its exception.
    int run(task<int> work)
    {
        std::optional<int> value;
        std::exception_ptr failure;
        asio::co_spawn(io_, std::move(work), [&](std::exception_ptr thrown, int given) {
            failure = std::move(thrown);
            value = given;
        });
        while (!value && io_.run_one() > 0) { }
        if (failure)
            std::rethrow_exception(failure);
        return value.value();
    }

private:
    system_timers time_;    // declared before the loop: suspended client coroutines refer to it
    asio::io_context io_{1};
    api_client api_;
};

}    // namespace caisson::cli
