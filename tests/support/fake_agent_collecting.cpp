#include "core/protocol/collect_stream.hpp"
#include "tests/support/fake_agent.hpp"

#include <cstring>

/// What a fake agent collects: by itself, or by a collector.
namespace caisson::testing {

using namespace protocol;

agent_host::start_result fake_agent::start_collector(exec_number number, const spawn_request& what)
{
    collections.push_back(what);
    std::string nothing(collect_magic);
    append_done(nothing, {});
    collecting_[number] = collected ? collected(what) : nothing;
    return {0, {}, {.monotonic_ns = monotonic_ns()}};
}

void fake_agent::tell_collected()
{
    holds_collected = false;
    pump();
}

void fake_agent::write_at_end()
{
    auto* const execution = at_end_ ? session_.find(at_end_->first) : nullptr;
    if (execution == nullptr)
        return;
    const auto text = collected_at_end ? collected_at_end(at_end_->second) : std::string();
    auto& window = execution->output(stream::stdout_stream);
    std::memcpy(window.room().data(), text.data(), text.size());
    window.filled(text.size());
    window.end();
    execution->output(stream::stderr_stream).end();
    execution->set_exited({.wait_status = collected_at_end ? 0 : cannot_collect_at_end << 8});
    at_end_.reset();
}

void fake_agent::write_collected()
{
    for (auto one = collecting_.begin(); one != collecting_.end();) {
        auto* execution = session_.find(one->first);
        if (execution == nullptr) {
            ++one;
            continue;
        }
        auto& window = execution->output(stream::stdout_stream);
        for (auto room = window.room(); !one->second.empty() && !room.empty(); room = window.room()) {
            const auto count = std::min(room.size(), one->second.size());
            std::memcpy(room.data(), one->second.data(), count);
            window.filled(count);
            one->second.erase(0, count);
        }
        if (!one->second.empty() || collector_hangs) {
            ++one;
            continue;
        }
        window.end();
        execution->output(stream::stderr_stream).end();
        execution->set_exited({});
        one = collecting_.erase(one);
    }
}

}    // namespace caisson::testing
