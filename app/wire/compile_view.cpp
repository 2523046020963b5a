#include "app/wire/compile_view.hpp"

#include "core/base/utf8.hpp"

namespace caisson::wire {

void write_compile(json_writer& out, const execution_row& row, compiler_output output)
{
    if (!row.compile)
        return;
    const auto& report = *row.compile;
    out.key("compile").begin_object().key("status").text(to_string(report.status)).key("verdict").text(to_string(report.verdict));
    if (report.exit_code)
        out.key("exit_code").integer(*report.exit_code);
    if (report.signal)
        out.key("signal").integer(*report.signal);
    if (output == compiler_output::whole)
        out.key("output").text(to_valid_utf8(report.output)).key("output_truncated").boolean(report.output_truncated);
    if (report.cpu_ms)
        out.key("cpu_ms").integer(*report.cpu_ms);
    if (report.wall_ms)
        out.key("wall_ms").integer(*report.wall_ms);
    out.key("cached").boolean(report.cached).end_object();
}

}    // namespace caisson::wire
