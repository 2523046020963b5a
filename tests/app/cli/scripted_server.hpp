#pragma once

#include "adapters/net/server.hpp"
#include "app/cli/api_client.hpp"
#include "tests/support/fake_timers.hpp"

#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace caisson::cli {

/// A server on loopback that answers each request by the next action of a script.
class scripted_server : public net::handler {
public:
    using action = std::function<task<>(net::exchange&)>;

    task<> handle(net::exchange& one) override;

    /// Answers with a status and a JSON text.
    static action answer(int status, std::string body);
    /// Closes the connection without an answer.
    static action hang_up();
    /// Becomes a WebSocket, sends `frames`, and then closes with `code`, or cuts the connection if that is 0.
    static action frames(std::vector<std::string> frames, std::uint16_t code);
    /// Sends `pieces` as the body of an answer, which is cut before its end if `cut`.
    static action pieces(std::vector<std::string> pieces, bool cut);

    std::deque<action> script;           // an empty one answers 500
    std::vector<std::string> targets;    // "GET /path?query" of each request
    std::vector<std::string> bodies;
    std::vector<std::string> credentials;
    std::vector<std::string> keys;    // Idempotency-Key of each request
};

/// One event loop with the server, a client of it, and a clock that moves on when nothing else happens.
class ScriptedTest : public ::testing::Test {
protected:
    ScriptedTest();
    ~ScriptedTest() override;

    /// Runs until `work` is done.
    template <class T>
    T run(task<T> work)
    {
        std::optional<T> value;
        std::exception_ptr failure;
        bool done = false;
        auto keep = [](task<T> inner, std::optional<T>& out) -> task<> { out.emplace(co_await std::move(inner)); };
        asio::co_spawn(io_, keep(std::move(work), value), [&](std::exception_ptr thrown) {
            failure = std::move(thrown);
            done = true;
        });
        turn_until(done);
        if (failure)
            std::rethrow_exception(failure);
        return std::move(*value);
    }
    void turn_until(const bool& done);

    static constexpr std::string_view key = "csn_key";

    asio::io_context io_;
    caisson::testing::fake_timers time_{io_.get_executor()};
    null_logger log_;
    scripted_server server_;
    net::server listener_{io_.get_executor(), time_, log_, server_};
    std::optional<api_client> api_;
};

}    // namespace caisson::cli
