#include "core/exec/execution_access.hpp"

#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"

#include <algorithm>

namespace caisson {

namespace {

/// How much stdin may wait for one program to read.
constexpr std::uint64_t most_waiting_stdin = 64 << 20;

error unknown_execution() { return {errc::not_found, "execution not found"}; }

shared_bytes unless_large(const shared_bytes& text) { return text.size() <= execution_payload::most_shown_bytes ? text : shared_bytes(); }

/// What payload() reads from the record of a skill that has ended.
std::shared_ptr<const execution_payload> payload_of(const execution& exec)
{
    const auto& input = exec.spec.input;
    const auto& output = exec.row.output;
    return std::make_shared<const execution_payload>(
        execution_payload{unless_large(input), unless_large(output), input.size(), output.size()});
}

}    // namespace

task<result<execution_row>> execution_access::find(tenant_id tenant, execution_id id)
{
    const auto exec = live_.find(tenant, id);
    if (exec && exec->phase != run_phase::ending)
        co_return shown(*exec);
    auto row = co_await use_.stores.executions.find(tenant, id);
    if (row.has_error() && row.error().code == errc::not_found)
        co_return unknown_execution();
    co_return row;
}

execution_row execution_access::shown(const execution& exec) const
{
    auto row = exec.row;
    if (row.kind == execution_kind::skill && is_final(row.status))
        row.payload = payload_of(exec);
    row.output = {};    // payload() gives it
    row.queue_position = queue_.position(exec);
    row.waits_for = what_it_waits_for(exec);
    return row;
}

std::string execution_access::what_it_waits_for(const execution& exec) const
{
    if (!exec.row.waits_for.empty())
        return exec.row.waits_for;
    if (!queue_.position(exec))
        return "";
    const auto more = live_.may_keep_more(exec.row.tenant);
    return more.has_error() ? more.error().detail : queue_.lack_of_memory(exec);
}

task<result<execution_totals>> execution_access::totals(tenant_id tenant) { return use_.stores.executions.totals(std::move(tenant)); }

task<result<execution_payload>> execution_access::payload(tenant_id tenant, execution_id id, std::size_t most_bytes)
{
    auto found = co_await use_.stores.executions.find_payload(std::move(tenant), id, most_bytes);
    if (found.has_error() && found.error().code == errc::not_found)
        co_return unknown_execution();
    co_return found;
}

task<result<payload_piece>> execution_access::read_payload(
    tenant_id tenant, execution_id id, payload_part part, std::uint64_t offset, std::size_t most_bytes)
{
    auto found = co_await use_.stores.executions.read_payload(std::move(tenant), id, part, offset, most_bytes);
    if (found.has_error() && found.error().code == errc::not_found)
        co_return unknown_execution();
    co_return found;
}

task<result<execution_row>> execution_access::wait(tenant_id tenant, execution_id id, steady_time until)
{
    const auto exec = live_.find(tenant, id);
    while (exec && exec->phase != run_phase::ended && may_wait(until))
        co_await wait_for_change(exec, until);
    if (exec && exec->phase == run_phase::ended)
        co_return shown(*exec);
    co_return co_await find(std::move(tenant), std::move(id));
}

task<> execution_access::wait_for_change(execution_ptr exec, steady_time until)
{
    auto change = exec->changed.wait_past(exec->changed.version());
    static_cast<void>(co_await with_deadline(use_.time, until, std::move(change)));
}

task<result<std::vector<execution_row>>> execution_access::list(tenant_id tenant, execution_filter filter)
{
    auto rows = co_await use_.stores.executions.list(std::move(tenant), std::move(filter));
    if (rows.has_value())
        for (auto& row : *rows)
            if (const auto exec = live_.find(row.tenant, row.id)) {
                row.queue_position = queue_.position(*exec);
                row.waits_for = what_it_waits_for(*exec);
            }
    co_return rows;
}

task<result<execution_row>> execution_access::cancel(tenant_id tenant, execution_id id)
{
    auto asked = co_await use_.stores.executions.request_cancel(tenant, id);
    if (asked.has_error() && asked.error().code == errc::not_found) {
        if (const auto exec = live_.find(tenant, id)) {    // not recorded yet: only end_all() knows it
            exec->row.cancel_requested = true;
            exec->wake();
        }
        co_return unknown_execution();
    }
    if (asked.has_error())
        co_return asked.error();
    if (const auto exec = live_.find(tenant, id)) {
        exec->row.cancel_requested = true;
        if (!exec->admitted())    // its turn goes to the next execution
            queue_.leave(*exec);
        exec->wake();
    }
    co_return co_await find(std::move(tenant), std::move(id));
}

/// The live execution, if it can be written to or signalled now.
task<result<execution_ptr>> execution_access::running_one(tenant_id tenant, execution_id id)
{
    auto exec = live_.find(tenant, id);
    if (exec && (exec->phase == run_phase::ending || exec->phase == run_phase::ended))
        co_return error{errc::conflict, "the execution has ended"};
    if (exec)
        co_return exec;
    auto row = co_await use_.stores.executions.find(tenant, id);
    if (row.has_error())
        co_return unknown_execution();
    co_return error{errc::conflict, "the execution has ended with status \"" + std::string(to_string(row->status)) + "\""};
}

task<result<void>> execution_access::signal(tenant_id tenant, execution_id id, int signal_number, protocol::agent_link::target to)
{
    auto exec = co_await running_one(std::move(tenant), std::move(id));
    if (exec.has_error())
        co_return exec.error();
    if (!(*exec)->heard.started || !(*exec)->link())
        co_return error{errc::conflict, "the program has not started yet; wait for the state \"running\""};
    if (!(*exec)->link()->signal((*exec)->number(), signal_number, to))
        co_return error{errc::rate_limited, "the sandbox has not taken the signals before this one; try again in a few seconds"};
    co_return result<void>();
}

task<result<void>> execution_access::resize(tenant_id tenant, execution_id id, pty_size size)
{
    auto exec = co_await running_one(std::move(tenant), std::move(id));
    if (exec.has_error())
        co_return exec.error();
    if (!(*exec)->row.pty)
        co_return error{errc::conflict, "the execution has no terminal; start it with \"pty\""};
    if (!(*exec)->heard.started || !(*exec)->link())
        co_return error{errc::conflict, "the program has not started yet; wait for the state \"running\""};
    (*exec)->link()->resize((*exec)->number(), static_cast<std::uint16_t>(size.cols), static_cast<std::uint16_t>(size.rows));
    co_return result<void>();
}

task<result<std::uint64_t>> execution_access::write_stdin(tenant_id tenant, execution_id id, stdin_request request, steady_time until)
{
    auto found = co_await running_one(std::move(tenant), std::move(id));
    if (found.has_error())
        co_return found.error();
    const auto exec = *found;
    while (!exec->stdin_bytes.is_known() && exec->heard.lost.empty() && may_wait(until))
        co_await wait_for_change(exec, until);
    if (!exec->stdin_bytes.is_known())
        co_return error{errc::runtime_unavailable, "the execution is being taken up again; try again in a few seconds"};
    if (request.offset && *request.offset > exec->stdin_bytes.end())
        co_return error{errc::conflict, "\"offset\" leaves a hole: stdin has " + std::to_string(exec->stdin_bytes.end()) + " bytes so far"};
    auto bytes = shared_bytes(std::move(request.data));
    if (request.offset)
        bytes = bytes.slice(std::min<std::uint64_t>(exec->stdin_bytes.end() - *request.offset, bytes.size()));
    if (exec->stdin_bytes.is_closed() && (!bytes.empty() || !request.eof))
        co_return error{errc::conflict, "stdin is closed; start the execution with \"stdin_open\": true to write to it later"};
    if (exec->stdin_bytes.untaken() + bytes.size() > most_waiting_stdin)
        co_return error{errc::rate_limited, "the program has not read " + std::to_string(exec->stdin_bytes.untaken()) +
                                                " bytes of its stdin yet; at most " + std::to_string(most_waiting_stdin) + " may wait"};
    auto held = queue_.hold_more(*exec, bytes.size());
    if (held.has_error())
        co_return held.error();
    if (!exec->stdin_bytes.is_closed())
        exec->give_stdin(std::move(bytes), request.eof);
    const auto wanted = exec->stdin_bytes.end();
    const bool waits = may_wait(until);
    const auto missing = [&] { return exec->stdin_bytes.taken() < wanted || (request.eof && !exec->stdin_bytes.is_end_taken()); };
    while (missing() && exec->phase != run_phase::ended && exec->heard.lost.empty() && may_wait(until))
        co_await wait_for_change(exec, until);
    if (waits && missing() && exec->stdin_bytes.taken() >= wanted && exec->phase != run_phase::ended)
        co_return error{errc::runtime_unavailable, "the sandbox has not taken the end of stdin; send it again in a few seconds"};
    co_return std::min(exec->stdin_bytes.taken(), wanted);    // what is not taken may be lost with this server: it is to be sent again
}

task<result<void>> execution_access::erase(tenant_id tenant, execution_id id)
{
    const auto exec = live_.find(tenant, id);
    if (exec && exec->phase != run_phase::ended)
        co_return error{errc::conflict, "the execution has not ended; cancel it first"};
    auto row = co_await use_.stores.executions.find(tenant, id);
    if (row.has_error())
        co_return unknown_execution();
    if (!is_final(row->status))
        co_return error{errc::conflict, "the execution has not ended; cancel it first"};
    const auto removal = removals_.begin(tenant.str(), id.str());
    auto erased = co_await use_.stores.events.erase(id);    // first, so that no events are left without a record
    if (erased.has_error())
        co_return erased.error();
    auto removed = co_await use_.stores.executions.erase(tenant, id);
    if (removed.has_error())
        co_return removed.error();
    kept_.remove(tenant, removed->kept_bytes);
    queue_.look_again();
    co_await erase_contents(std::move(tenant), std::move(removed->contents));
    co_return result<void>();
}

/// The record is gone already. The janitor removes what cannot be removed here.
task<> execution_access::erase_contents(tenant_id tenant, std::vector<content_id> contents)
{
    if (contents.empty() || use_.stores.contents == nullptr)
        co_return;
    auto erasing = without_exceptions(use_.stores.contents->erase(std::move(tenant), std::move(contents)));
    const auto erased = co_await std::move(erasing);
    if (erased.has_error())
        use_.log.warning("contents of a removed execution are left to the janitor", {{"what", erased.error().detail}});
}

task<result<std::unique_ptr<log_reader>>> execution_access::open_log(tenant_id tenant, execution_id id, log_position after)
{
    const auto exec = live_.find(tenant, id);
    if (exec)
        co_return open_log_of(exec->row, after);
    auto row = co_await use_.stores.executions.find(std::move(tenant), std::move(id));
    if (row.has_error())
        co_return unknown_execution();
    co_return open_log_of(*row, after);
}

std::unique_ptr<log_reader> execution_access::open_log_of(const execution_row& row, log_position after) const
{
    const auto exec = live_.find(row.tenant, row.id);
    return std::make_unique<log_reader>(row.id, use_.stores.events, exec ? exec->log : nullptr, after);
}

}    // namespace caisson
