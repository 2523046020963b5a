#include "core/exec/record/record.hpp"

#include "core/base/utf8.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace caisson {

namespace json = boost::json;

std::string state_body(const execution_row& row)
{
    json::object body;
    body["status"] = to_string(row.status);
    if (row.queue_position)
        body["queue_position"] = *row.queue_position;
    if (!row.waits_for.empty())
        body["waits_for"] = row.waits_for;
    if (row.attempts.size() > 1)
        body["attempt"] = row.attempts.back().number;
    body["stages"] = stages_to_json(row.stages);
    return json::serialize(body);
}

std::string next_attempt_body(const execution_row& row)
{
    const auto& last = row.attempts.back();
    json::object body;
    body["status"] = to_string(execution_status::queued);
    body["attempt"] = last.number + 1;
    body["delay_ms"] = last.delay_ms.value_or(0);
    body["cause"] = to_valid_utf8(last.error);
    body["stages"] = json::object();
    return json::serialize(body);
}

state_said read_state_body(std::string_view body) noexcept
{
    try {
        const auto value = json::parse(body);
        state_said said;
        said.status = value.as_object().at("status").as_string();
        if (const auto* attempt = value.as_object().if_contains("attempt"))
            said.attempt = attempt->to_number<int>();
        return said;
    } catch (const std::exception&) {
        return {};
    }
}

std::string usage_body(const execution_usage& usage)
{
    json::object body;
    body["usage"] = usage_to_json(usage);
    return json::serialize(body);
}

namespace {

/// JSON stays the same without its line ends, which would end a line of a stream.
std::string one_line(std::string_view text)
{
    std::string out(text);
    std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return out;
}

json::array first_paths(std::span<const artifact_row> left)
{
    std::vector<std::string_view> paths;
    for (const auto& each : left)
        paths.push_back(each.path);
    std::ranges::sort(paths);
    json::array out;
    std::size_t bytes = 0;
    for (const auto path : paths) {
        bytes += path.size();
        if (out.size() == max_said_paths || bytes > max_said_path_bytes)
            break;
        out.emplace_back(path);
    }
    return out;
}

/// In the end of the log, as there is no output of a program.
json::object failed_compile(const compile_report& report)
{
    auto head = std::string_view(report.output).substr(0, max_said_output_bytes);
    head.remove_suffix(incomplete_utf8_tail(head));
    return {{"status", to_string(report.status)}, {"verdict", to_string(report.verdict)}, {"output", to_valid_utf8(head)},
        {"output_truncated", report.output_truncated || head.size() < report.output.size()}};
}

compile_report read_failed_compile(const json::object& from)
{
    compile_report out;
    out.status = execution_status_from(from.at("status").as_string()).value();
    out.verdict = verdict_from(from.at("verdict").as_string()).value();
    out.output = from.at("output").as_string();
    out.output_truncated = from.at("output_truncated").as_bool();
    return out;
}

void say_what_is_left(json::object& body, const execution_row& row, std::span<const artifact_row> left)
{
    if (row.output.size() > max_said_output_bytes)
        body["output_bytes"] = row.output.size();
    else if (!row.output.empty())
        body["output"] = one_line(row.output.view());
    if (!row.collected)
        return;
    const auto& all = *row.collected;
    body["artifacts"] = {
        {"files", all.files}, {"bytes", all.bytes}, {"partial", all.partial}, {"skipped_files", all.skipped_files}, {"error", nullptr}};
    if (!all.error.empty())
        body["artifacts"].as_object()["error"] = to_valid_utf8(all.error);
    if (auto paths = first_paths(left); !paths.empty())
        body["files_list"] = std::move(paths);
}

}    // namespace

std::string exit_body(const execution_row& row, std::span<const artifact_row> left)
{
    json::object body;
    body["status"] = to_string(row.status);
    body["verdict"] = to_string(row.verdict.value_or(verdict::lost));
    json::array hit;
    for (auto each : row.limits_hit)
        hit.emplace_back(to_string(each));
    body["limits_hit"] = std::move(hit);
    if (row.exit_code)
        body["exit_code"] = *row.exit_code;
    if (row.signal)
        body["signal"] = *row.signal;
    body["usage"] = usage_to_json(row.usage);
    if (row.error.empty())
        body["error"] = nullptr;
    else
        body["error"] = row.error;
    if (row.compile && row.compile->status != execution_status::success)
        body["compile"] = failed_compile(*row.compile);
    say_what_is_left(body, row, left);
    return json::serialize(body);
}

void apply_ending(execution_row& row, const ending& end, std::int64_t now_ms)
{
    row.status = end.status;
    row.verdict = end.verdict;
    row.limits_hit = end.limits_hit;
    row.exit_code = end.exit_code;
    row.signal = end.signal;
    row.error = end.error;
    row.next_attempt_at_ms.reset();
    row.finished_at_ms = now_ms;
    row.duration_ms = now_ms - row.created_at_ms;
}

void apply_exit_body(execution_row& row, std::string_view body, std::int64_t at_ms)
{
    const auto value = json::parse(body);
    const auto& object = value.as_object();
    ending end;
    end.status = execution_status_from(object.at("status").as_string()).value();
    end.verdict = verdict_from(object.at("verdict").as_string()).value();
    for (const auto& each : object.at("limits_hit").as_array())
        end.limits_hit.push_back(limit_kind_from(each.as_string()).value());
    if (const auto* code = object.if_contains("exit_code"))
        end.exit_code = code->to_number<int>();
    if (const auto* number = object.if_contains("signal"))
        end.signal = number->to_number<int>();
    if (object.at("error").is_string())
        end.error = object.at("error").as_string();
    row.usage = usage_from_json(object.at("usage").as_object());
    if (const auto* compile = object.if_contains("compile"))
        row.compile = read_failed_compile(compile->as_object());
    apply_ending(row, end, at_ms);
}

}    // namespace caisson
