#include "core/exec/attempts.hpp"

#include "core/base/utf8.hpp"

#include <algorithm>

namespace caisson {

namespace {

/// Of an attempt's error, which is in each record.
constexpr std::size_t max_error_bytes = 1'024;

std::string shortened(const std::string& text)
{
    if (text.size() <= max_error_bytes)
        return text;
    const auto head = std::string_view(text).substr(0, max_error_bytes);
    return std::string(head.substr(0, head.size() - incomplete_utf8_tail(head))) + "…";
}

}    // namespace

std::optional<attempt_fault> fault_of(const ending& end, const ending_facts& facts)
{
    switch (end.verdict) {
    case verdict::runtime_error: return facts.host_fault.value_or(attempt_fault::program);
    case verdict::lost: return attempt_fault::agent_lost;
    case verdict::exited: return end.exit_code == 0 ? std::nullopt : std::optional(attempt_fault::program);
    case verdict::signaled: return attempt_fault::program;
    case verdict::wall_limit:
    case verdict::cpu_limit:
    case verdict::memory_limit:
    case verdict::output_limit:
    case verdict::cancelled: break;
    }
    return attempt_fault::limit;
}

std::optional<attempt_fault> fault_of_record(const execution_row& row)
{
    if (row.status == execution_status::success || row.verdict == verdict::runtime_error)
        return std::nullopt;
    ending end;
    end.verdict = row.verdict.value_or(verdict::lost);
    end.exit_code = row.exit_code;
    return fault_of(end, {}).value_or(attempt_fault::program);
}

bool is_worth_another(errc code)
{
    switch (code) {
    case errc::gone:
    case errc::not_found:
    case errc::bad_request:
    case errc::forbidden:
    case errc::invalid_skill:
    case errc::image_not_allowed:
    case errc::unprocessable:
    case errc::not_implemented: return false;
    default: return true;
    }
}

void end_attempt(execution_attempt& attempt, const ending& end, std::optional<attempt_fault> fault, std::int64_t now_ms)
{
    attempt.ended_at_ms = now_ms;
    attempt.fault = fault;
    attempt.error = shortened(end.error);
    attempt.verdict = end.verdict;
    attempt.exit_code = end.exit_code;
    attempt.signal = end.signal;
}

ending ending_of(const execution_attempt& attempt, const std::vector<limit_kind>& limits_hit, std::string why)
{
    ending end;
    end.verdict = attempt.verdict.value_or(verdict::lost);
    end.exit_code = attempt.exit_code;
    end.signal = attempt.signal;
    end.status = status_of(end.verdict, end.exit_code);
    end.limits_hit = limits_hit;
    end.error = attempt.error + "; " + why;
    return end;
}

std::string count_of_attempts(const execution_row& row)
{
    if (row.attempts.size() < 2)
        return "";
    return "; tried " + std::to_string(row.attempts.size()) + " times";
}

std::chrono::milliseconds wall_left_of_record(const execution_row& row)
{
    const std::chrono::milliseconds wall(row.limits.wall_ms);
    if (row.attempts.size() < 2)
        return wall;
    const std::chrono::milliseconds before(row.attempts.back().started_at_ms - row.attempts.front().started_at_ms);
    return std::clamp(wall - before, least_attempt, wall);
}

}    // namespace caisson
