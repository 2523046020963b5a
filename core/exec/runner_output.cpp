#include "core/exec/runner.hpp"
#include "core/exec/skill_output.hpp"

namespace caisson {

namespace {

/// What the collector brought. One that brought nothing and failed cannot tell whether there is any output.
skill_output output_of(const live_execution& one)
{
    if (one.output_text)
        return {skill_output::state::whole, *one.output_text};
    if (!one.output_problem.empty())
        return {skill_output::state::unreadable, one.output_problem};
    const bool ended_well = one.row.status == execution_status::success;
    if (ended_well && one.row.collected && !one.row.collected->error.empty())
        return {skill_output::state::unreadable, one.row.collected->error};
    return {};
}

}    // namespace

void runner::judge_output(live_execution& one) const { judge_skill(one.row, one.spec, output_of(one), use_.check_schema); }

}    // namespace caisson
