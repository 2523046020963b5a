#include "core/exec/record/record_policy.hpp"

#include "core/exec/collect/collect_command.hpp"

#include <algorithm>

namespace caisson {

record_wishes wishes_of(const execution_spec& spec, bool has_key, bool awaits_end)
{
    const auto& faults = spec.retry.faults;
    record_wishes out;
    out.has_key = has_key;
    out.awaits_end = awaits_end;
    out.compiles = spec.compile.has_value();
    out.is_large = content_bytes(spec) > small_spec_bytes;
    out.may_be_repeated = !spec.retry.exit_codes.empty() || std::ranges::find(faults, attempt_fault::program) != faults.end();
    out.is_judged_later = spec.checkpoint || (spec.skill && !spec.skill->output_schema.empty());
    out.keeps_stdin_open = spec.stdin_open;
    out.wants_files = wants_files(spec.collect);
    return out;
}

first_record record_policy::choose(const record_wishes& of, const record_chances& has, steady_time now) const
{
    const bool must_wait = of.has_key || of.compiles || of.is_large;
    if (must_wait || !has.has_sandbox || !has.has_place || !has.has_runtime)
        return first_record::accepted;
    return of.awaits_end && records_are_slow(now) ? first_record::ended : first_record::begun;
}

bool record_policy::may_end_first(const record_wishes& of, const unrecorded_state& at)
{
    const bool has_more_to_store = of.may_be_repeated || of.is_judged_later || of.keeps_stdin_open;
    const bool has_files = !of.wants_files || at.files_come_with_end;
    return !at.has_failed && at.log_is_short && has_files && !has_more_to_store;
}

bool record_policy::records_are_slow(steady_time now) const
{
    return last_took_ >= with_.slow_record || (last_at_ && now < *last_at_ + with_.disk_rests_after);
}

void record_policy::note(steady_time::duration took, steady_time now)
{
    last_took_ = took;
    last_at_ = now;
}

}    // namespace caisson
