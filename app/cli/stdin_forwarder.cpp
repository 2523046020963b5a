#include "app/cli/stdin_forwarder.hpp"

#include "core/base/base64.hpp"

#include <boost/json/object.hpp>

#include <unistd.h>

namespace caisson::cli {

stdin_forwarder::stdin_forwarder(api_client& api, timers& time, std::string execution_id)
    : api_(api), time_(time), target_("/v1/executions/" + execution_id + "/stdin"), reader_(STDIN_FILENO)
{
}

task<> stdin_forwarder::run()
{
    while (true) {
        auto bytes = co_await reader_.read();
        const bool eof = bytes.empty();
        const bool taken = co_await deliver(std::move(bytes), eof);
        if (eof || !taken)
            co_return;
    }
}

task<bool> stdin_forwarder::deliver(std::string bytes, bool eof)
{
    boost::json::object body{{"offset", offset_}};
    if (eof)
        body["eof"] = true;
    else {
        body["data"] = base64_encode(bytes);
        body["encoding"] = "base64";
    }
    while (true) {
        auto answer = co_await api_.post(target_, body);
        if (answer.has_value()) {
            policy_.worked();
            offset_ += bytes.size();
            co_return true;
        }
        if (!may_pass(answer.error().code))
            co_return false;    // the execution has ended or closed its input
        // A program that does not read is not an error: it may take any time.
        if (answer.error().code == errc::rate_limited)
            policy_.worked();
        const auto delay = policy_.broke(time_.steady_now());
        if (!delay)
            co_return false;
        co_await time_.wait_for(*delay);
    }
}

}    // namespace caisson::cli
