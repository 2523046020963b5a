#include "app/wire/attempts_view.hpp"

#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"

namespace caisson::wire {

namespace {

void write_end(json_writer& out, const execution_attempt& attempt)
{
    if (attempt.ended_at_ms)
        out.key("ended_at").text(to_rfc3339(*attempt.ended_at_ms));
    if (attempt.verdict)
        out.key("verdict").text(to_string(*attempt.verdict));
    if (attempt.fault)
        out.key("fault").text(to_string(*attempt.fault));
    if (!attempt.error.empty())
        out.key("error").text(to_valid_utf8(attempt.error));
    if (attempt.exit_code)
        out.key("exit_code").integer(*attempt.exit_code);
    if (attempt.signal)
        out.key("signal").integer(*attempt.signal);
    if (attempt.delay_ms)
        out.key("delay_ms").integer(*attempt.delay_ms);
}

}    // namespace

void write_attempts(json_writer& out, const execution_row& row)
{
    if (row.next_attempt_at_ms)
        out.key("next_attempt_at").text(to_rfc3339(*row.next_attempt_at_ms));
    if (row.attempts.empty())
        return;
    out.key("attempts").begin_array();
    for (const auto& each : row.attempts) {
        out.begin_object().key("number").integer(each.number).key("started_at").text(to_rfc3339(each.started_at_ms));
        write_end(out, each);
        out.key("stdout_offset").unsigned_integer(each.stdout_base).key("stderr_offset").unsigned_integer(each.stderr_base).end_object();
    }
    out.end_array();
}

}    // namespace caisson::wire
