#include "adapters/host/greeting.hpp"

#include "core/protocol/agent_link.hpp"

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto answer_within = 10s;

task<result<void>> open_and_close(std::unique_ptr<protocol::agent_link> link, steady_time deadline)
{
    auto opened = co_await link->open(deadline);
    link->close();
    co_return opened;
}

}    // namespace

task<result<void>> greet_agent(io_executor executor, timers& time, logger& log, sandbox* running)
{
    // Not a coroutine: it only names the work.
    auto connect = [running] { return running->connect(); };
    protocol::link_options options{.instance = "probe", .epoch = static_cast<std::uint64_t>(time.now_ms())};
    auto link = protocol::make_agent_link(executor, time, log, std::move(connect), std::move(options));
    return open_and_close(std::move(link), time.steady_now() + answer_within);
}

}    // namespace caisson
