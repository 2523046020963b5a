#include "core/exec/execution.hpp"

#include "core/exec/collect/files_at_end.hpp"
#include "core/exec/compile/compiler_process.hpp"

namespace caisson {

execution::execution(
    io_executor executor, timers& time, logger& logs, execution_row the_row, execution_spec the_spec, std::shared_ptr<live_log> the_log)
    : candidate(the_row.tenant, promised_memory(the_row.limits))
    , row(std::move(the_row))
    , spec(std::move(the_spec))
    , log(std::move(the_log))
    , changed(executor)
    , background(executor, logs)
    , accepted_at(time.steady_now())
    , time_(time)
    , sink_(*this, time)
{
    tries.first_began = tries.next_at = accepted_at;
    heard.asked_at = heard.started_at = heard.exited_at = accepted_at;
}

execution::~execution() = default;

void execution::give_up(std::string why)
{
    heard.lost = std::move(why);
    if (current.lease.home)
        current.lease.home->give_up();
}

void execution::begin_attempt()
{
    auto& fresh = row.attempts.emplace_back();
    fresh.number = static_cast<int>(row.attempts.size());
    fresh.started_at_ms = time_.now_ms();
    fresh.stdout_base = log->buffer().received(output_stream::stdout_stream);
    fresh.stderr_base = log->buffer().received(output_stream::stderr_stream);
    row.next_attempt_at_ms.reset();
    tries.refused_at.reset();
    if (fresh.number == 1)
        tries.first_began = time_.steady_now();
    continue_attempt();
}

void execution::continue_attempt()
{
    sink_.begin(attempt().stdout_base, attempt().stderr_base);
    current.before_program = {};
    if (row.compile)    // by an earlier server
        current.before_program.cpu_us = row.compile->cpu_before_us;
}

void execution::forget_attempt()
{
    stdin_bytes.rewind(heard.started, spec.stdin_open);
    stop_listening();
    current = {};
    heard = {};
    heard.asked_at = heard.started_at = heard.exited_at = time_.steady_now();
}

void execution::listen(std::optional<protocol::resume_point> resume)
{
    process_.reset();
    process_ = std::make_unique<agent_process>(link(), number(), sink_, resume);
}

protocol::resume_point execution::resume_point() const
{
    return {sink_.received(output_stream::stdout_stream), sink_.received(output_stream::stderr_stream), 0};
}

group_usage execution::used() const { return usage_since(current.lease.group->usage(), current.before_program); }

bool execution::stdin_spent() const
{
    return spec.stdin_open && (!stdin_bytes.is_known() || (heard.started && stdin_bytes.was_given_later()));
}

bool execution::was_cut() const
{
    return log->buffer().was_cut(output_stream::stdout_stream) || log->buffer().was_cut(output_stream::stderr_stream);
}

void execution::give_stdin(shared_bytes bytes, bool last)
{
    const auto to = phase == run_phase::running ? link() : nullptr;
    stdin_bytes.give(std::move(bytes), last, to.get(), number());
}

}    // namespace caisson
