#include "app/wire/attempts_view.hpp"

#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"

namespace caisson::wire {

namespace {

void write_end(json_writer& out, const execution_attempt& one)
{
    if (one.ended_at_ms)
        out.key("ended_at").text(to_rfc3339(*one.ended_at_ms));
    if (one.verdict)
        out.key("verdict").text(to_string(*one.verdict));
    if (one.fault)
        out.key("fault").text(to_string(*one.fault));
    if (!one.error.empty())
        out.key("error").text(to_valid_utf8(one.error));
    if (one.exit_code)
        out.key("exit_code").integer(*one.exit_code);
    if (one.signal)
        out.key("signal").integer(*one.signal);
    if (one.delay_ms)
        out.key("delay_ms").integer(*one.delay_ms);
}

}    // namespace

void write_attempts(json_writer& out, const execution_row& row)
{
    if (row.next_attempt_at_ms)
        out.key("next_attempt_at").text(to_rfc3339(*row.next_attempt_at_ms));
    if (row.attempts.empty())
        return;
    out.key("attempts").begin_array();
    for (const auto& one : row.attempts) {
        out.begin_object().key("number").integer(one.number).key("started_at").text(to_rfc3339(one.started_at_ms));
        write_end(out, one);
        out.key("stdout_offset").unsigned_integer(one.stdout_base).key("stderr_offset").unsigned_integer(one.stderr_base).end_object();
    }
    out.end_array();
}

}    // namespace caisson::wire
