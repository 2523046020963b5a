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

/// With a value in every member.
inline execution_attempt attempt(int number)
{
    execution_attempt one;
    one.number = number;
    one.started_at_ms = 2'100;
    one.ended_at_ms = 2'200;
    one.fault = attempt_fault::agent_lost;
    one.error = "gone\xff";
    one.verdict = verdict::lost;
    one.exit_code = 75;
    one.signal = 9;
    one.sandbox = numbered<sandbox_id>(4);
    one.stdout_base = 5'000'000'000;
    one.stderr_base = 6;
    one.delay_ms = 450;
    return one;
}

/// An ended one with a value in every member but input, which is the spec's.
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
    row.skill_name = "word-counter";
    row.skill_version = "1.2.3-rc.1";
    row.skill_digest = std::string(64, 'a');
    row.image = "python:3.12-slim";
    row.image_digest = "sha256:0123";
    row.fallback_from = "docker";
    row.interpreter = "/usr/bin/python3";
    row.attempts = {attempt(1), execution_attempt()};
    row.attempts.back().number = 2;
    row.next_attempt_at_ms = 7'000;
    row.collected = collect_summary{2, 300, {{"out/\xff", "not a regular file"}}, 5, true, "the disk is full"};
    row.checkpoint = checkpoint_note{thread_name("t"), checkpoint_id::from_trusted("c"), "not \"now\""};
    row.compile = compile_report{execution_status::timeout, verdict::wall_limit, 3, 9, "main.c: \xff", true, 5, 6, true, 7};
    row.output = shared_bytes(std::string("{\"a\":\"\\u0000 \xc3\xa9\"}\0", 18));
    return row;
}

inline std::string text_of(const compile_report& one)
{
    std::ostringstream out;
    out << " compile " << to_string(one.status) << ' ' << to_string(one.verdict) << ' ' << one.exit_code.value_or(-1) << ' '
        << one.signal.value_or(-1) << " '" << one.output << "' " << one.output_truncated << ' ' << one.cpu_ms.value_or(-1) << ' '
        << one.wall_ms.value_or(-1) << ' ' << one.cached << ' ' << one.cpu_before_us;
    return out.str();
}

inline std::string text_of(const execution_attempt& one)
{
    std::ostringstream out;
    const auto optional = [&](const auto& value) { value ? out << ' ' << *value : out << " -"; };
    out << " [" << one.number << ' ' << one.started_at_ms;
    optional(one.ended_at_ms);
    optional(one.fault ? std::optional(to_string(*one.fault)) : std::nullopt);
    out << " '" << one.error << "'";
    optional(one.verdict ? std::optional(to_string(*one.verdict)) : std::nullopt);
    optional(one.exit_code);
    optional(one.signal);
    optional(one.sandbox ? std::optional(one.sandbox->str()) : std::nullopt);
    out << ' ' << one.stdout_base << ' ' << one.stderr_base;
    optional(one.delay_ms);
    return out.str() + "]";
}

/// Every member that is read back, so that two rows are equal if their texts are.
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
    for (const auto* text :
        {&row.skill_name, &row.skill_version, &row.skill_digest, &row.image, &row.image_digest, &row.fallback_from, &row.interpreter})
        out << " '" << *text << "'";
    for (const auto& each : row.attempts)
        out << text_of(each);
    optional(row.next_attempt_at_ms);
    if (row.compile)
        out << text_of(*row.compile);
    if (row.collected) {
        const auto& all = *row.collected;
        out << " collected " << all.files << ' ' << all.bytes << ' ' << all.skipped_files << all.partial << all.error;
        for (const auto& [path, reason] : all.skipped)
            out << " '" << path << "': " << reason;
    }
    return out.str();
}

}    // namespace caisson::testing
