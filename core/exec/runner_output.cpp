#include "core/exec/retry_until_answered.hpp"
#include "core/exec/runner.hpp"
#include "core/exec/skill/skill_output.hpp"

namespace caisson {

namespace {

/// What the collector brought. One that brought nothing and failed cannot tell whether there is any output.
skill_output output_of(const execution& one)
{
    if (one.left.output_text)
        return {skill_output::state::whole, *one.left.output_text};
    if (!one.left.output_problem.empty())
        return {skill_output::state::unreadable, one.left.output_problem};
    const bool ended_well = one.row.status == execution_status::success;
    if (ended_well && one.row.collected && !one.row.collected->error.empty())
        return {skill_output::state::unreadable, one.row.collected->error};
    return {};
}

}    // namespace

/// What is wrong with a whole output; empty if nothing is. Asked while the row does not say an end yet: nobody sees one that is not judged.
task<std::string> runner::problem_of_output(live_ptr one)
{
    if (!one->spec.skill || !one->left.output_text)
        co_return "";
    auto broken = syntax_problem(*one->left.output_text);
    const auto& schema = one->spec.skill->output_schema;
    if (!broken.empty() || schema.empty() || use_.schemas == nullptr)
        co_return broken;
    auto checking = use_.schemas->check(one->row.tenant, schema_checker::asker::execution, schema, shared_bytes(*one->left.output_text));
    auto checked = without_exceptions(std::move(checking));
    const auto found = co_await std::move(checked);
    if (found.has_error() && found.error().code == errc::internal)
        use_.log.error("an output could not be checked", {{"execution_id", one->row.id.str()}, {"what", found.error().detail}});
    co_return mismatch_problem(found);
}

void runner::judge_output(execution& one, const std::string& problem) { judge_skill(one.row, one.spec, output_of(one), problem); }

}    // namespace caisson
