#pragma once

#include "core/exec/types.hpp"
#include "tests/storage/store_contract.hpp"

#include <boost/json/serialize.hpp>

#include <sstream>

namespace caisson::testing {

/// A queued execution of tenant 1 with nothing special.
inline execution_row execution(int number)
{
    execution_row row;
    row.id = numbered<execution_id>(number);
    row.tenant = numbered<tenant_id>(1);
    row.runtime = "mock";
    row.created_at_ms = 1000 + number;
    return row;
}

/// An ended one with a value in every member.
inline execution_row full_execution(int number)
{
    auto row = execution(number);
    row.kind = execution_kind::code;
    row.status = execution_status::timeout;
    row.verdict = verdict::wall_limit;
    row.limits_hit = {limit_kind::memory, limit_kind::output};
    row.exit_code = 3;
    row.signal = 9;
    row.error = "it \"took\" too long \xc3\xa9\n";
    row.language = "python";
    row.sandbox = numbered<sandbox_id>(5);
    row.degraded = {"memory", "pids"};
    row.labels = {{"team", "a b"}, {"quote\"", "\xe2\x82\xac"}};
    row.limits.wall_ms = 1234;
    row.usage.cpu_ms = 17;
    row.usage.output_bytes = 99;
    row.stages.queue_ms = 0.25;
    row.stages.run_ms = 1234.5;
    row.stdout_truncated = true;
    row.pty = true;
    row.started_at_ms = 2000;
    row.finished_at_ms = 3000;
    row.duration_ms = 1000;
    return row;
}

/// Every member, so that two rows are equal if their texts are.
inline std::string text_of(const execution_row& row)
{
    std::ostringstream out;
    const auto optional = [&](const auto& value) { value ? out << ' ' << *value : out << " -"; };
    out << row.id.str() << ' ' << row.tenant.str() << ' ' << to_string(row.kind) << ' ' << to_string(row.status);
    optional(row.verdict ? std::optional(to_string(*row.verdict)) : std::nullopt);
    for (const auto kind : row.limits_hit)
        out << " hit:" << to_string(kind);
    optional(row.exit_code);
    optional(row.signal);
    out << " '" << row.error << "' " << row.language << ' ' << row.runtime;
    optional(row.sandbox ? std::optional(row.sandbox->str()) : std::nullopt);
    for (const auto& control : row.degraded)
        out << " degraded:" << control;
    for (const auto& [name, value] : row.labels)
        out << " '" << name << "'='" << value << "'";
    out << limits_to_json(row.limits) << usage_to_json(row.usage) << stages_to_json(row.stages);
    out << row.stdout_truncated << row.stderr_truncated << row.pty << row.cancel_requested << ' ' << row.created_at_ms;
    optional(row.started_at_ms);
    optional(row.finished_at_ms);
    optional(row.duration_ms);
    return out.str();
}

}    // namespace caisson::testing
