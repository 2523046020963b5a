#include "adapters/mock/mock_agent.hpp"

#include "adapters/mock/mock_state.hpp"
#include "core/protocol/unix_stream.hpp"

#include <sys/socket.h>

namespace caisson {

mock_agent::mock_agent(io_executor executor, timers& time, logger& log)
    : state_(std::make_shared<state>(executor, time)), executor_(executor), background_(executor, log)
{
    state_->set_tasks(background_, state_);
}

mock_agent::~mock_agent()
{
    state_->end_programs_tasks();
    state_->die("the agent was dropped");
}

result<std::unique_ptr<protocol::byte_stream>> mock_agent::connect()
{
    if (dead())
        return error{errc::runtime_unavailable, "the agent is gone: " + *state_->death};
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return error{errc::runtime_unavailable, "no socket pair"};
    background_.spawn("mock agent connection", state::serve(state_, protocol::make_unix_stream(executor_, unique_fd(ends[0]))));
    return protocol::make_unix_stream(executor_, unique_fd(ends[1]));
}

void mock_agent::set_paused(bool paused) { state_->set_paused(paused); }

void mock_agent::kill_programs() { state_->kill_programs(); }

std::size_t mock_agent::running_programs() const { return state_->programs.size(); }

std::int64_t mock_agent::oom_kills() const { return state_->oom_kills; }

bool mock_agent::disk_full() const { return state_->disk_full; }

void mock_agent::die(std::string cause) { state_->die(std::move(cause)); }

bool mock_agent::dead() const { return state_->death.has_value(); }

task<std::string> mock_agent::ended() const { return state::wait_for_death(state_); }

task<> mock_agent::stop()
{
    die("the sandbox was stopped");
    co_await background_.stop();
}

}    // namespace caisson
