#include "tests/support/fake_compiler.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>

namespace caisson::testing {

using namespace protocol;

agent_host::start_result fake_compiler::start(exec_number number, const spawn_request& what)
{
    requests.push_back(what);
    if (start_code != 0)
        return {start_code, "execve", {}};
    number_ = number;
    running_ = true;
    text_.clear();
    exiting_.reset();
    return {0, {}, {.pid = 3, .monotonic_ns = 0}};
}

void fake_compiler::end(int wait_status, exit_cause cause)
{
    if (!std::exchange(running_, false))
        return;
    exiting_ = usage;
    exiting_->wait_status = wait_status;
    exiting_->cause = cause;
}

void fake_compiler::signal(const signal_order& order)
{
    if (order.number == SIGKILL)
        kill();
}

void fake_compiler::kill()
{
    if (!running_)
        return;
    ++kills;
    if (!ignores_kill)
        end(SIGKILL);
}

void fake_compiler::pump(agent_session& session)
{
    auto* execution = session.find(number_);
    if (execution == nullptr)
        return;
    bool all = true;
    for (const auto which : {stream::stdout_stream, stream::stderr_stream}) {
        auto& text = text_[which];
        auto& window = execution->output(which);
        for (auto room = window.room(); !text.empty() && !room.empty(); room = window.room()) {
            const auto count = std::min(room.size(), text.size());
            std::memcpy(room.data(), text.data(), count);
            window.filled(count);
            text.erase(0, count);
        }
        all = all && text.empty();
    }
    if (!all || !exiting_)
        return;
    for (const auto which : {stream::stdout_stream, stream::stderr_stream})
        execution->output(which).end();
    execution->set_exited(*std::exchange(exiting_, std::nullopt));
}

}    // namespace caisson::testing
