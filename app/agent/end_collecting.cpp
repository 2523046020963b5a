#include "app/agent/end_collecting.hpp"

#include "app/agent/collector.hpp"
#include "app/agent/poller.hpp"
#include "core/protocol/collect_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace caisson::agent {

namespace {

/// Bounds, because the agent does nothing else meanwhile. Mostly it takes less than 0.1 ms.
constexpr std::size_t most_bytes = protocol::most_collected_at_end;
constexpr std::uint64_t most_entries = 64;
constexpr std::int64_t most_us = 10'000;

}    // namespace

bool end_collecting::is_meant(const protocol::spawn_request& request) { return names_own_program(request, "--collect-at-end"); }

protocol::agent_host::start_result end_collecting::order(protocol::exec_number number, const protocol::spawn_request& request)
{
    if (is_ordered())
        return {EBUSY, "collect", {}};
    program_ = request.argv.size() > 2 ? std::strtoull(request.argv[2].c_str(), nullptr, 10) : 0;
    if (program_ == 0)
        return {EINVAL, "collect", {}};
    number_ = number;
    arguments_.assign(request.argv.begin() + 3, request.argv.end());
    return {0, {}, {.pid = 0, .monotonic_ns = static_cast<std::uint64_t>(monotonic_us()) * 1000}};
}

void end_collecting::forget(protocol::exec_number number)
{
    if (number_ == number)
        *this = {};
}

void end_collecting::run(protocol::agent_execution& into, bool is_alone)
{
    constexpr int exit_code_shift = 8;    // of wait(2)
    const auto found = is_alone ? collect_little(std::move(arguments_)) : std::nullopt;
    auto& window = into.output(protocol::stream_number::stdout_stream);
    const auto room = found ? window.room() : std::span<char>();
    protocol::exit_report report;
    if (found && room.size() >= found->size()) {
        std::memcpy(room.data(), found->data(), found->size());
        window.filled(found->size());
    } else {
        report.wait_status = protocol::cannot_collect_at_end << exit_code_shift;
    }
    window.end();
    into.output(protocol::stream_number::stderr_stream).end();
    into.set_exited(report);
    *this = {};
}

std::optional<std::string> collect_little(std::vector<std::string> arguments)
{
    std::vector<char*> words;
    for (auto& each : arguments)
        words.push_back(each.data());
    collect_order order;
    if (!parse(static_cast<int>(words.size()), words.data(), order))
        return std::nullopt;
    order.max_entries = std::min(order.max_entries, most_entries);
    order.deadline_us = monotonic_us() + most_us;
    collect_writer out(collect_writer::in_memory{most_bytes});
    collector one(order, out);
    if (!one.run() || one.has_problem())
        return std::nullopt;
    return out.take();
}

}    // namespace caisson::agent
