#include "storage/stores/execution_details.hpp"

#include "core/base/json_bytes.hpp"
#include "storage/sqlite/enums.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <initializer_list>
#include <utility>

namespace caisson::sqlite {

namespace json = boost::json;

namespace {

using text_member = std::pair<std::string_view, std::string execution_row::*>;
constexpr std::initializer_list<text_member> text_members{
    {"skill_version", &execution_row::skill_version},
    {"skill_digest", &execution_row::skill_digest},
    {"image", &execution_row::image},
    {"image_digest", &execution_row::image_digest},
    {"fallback_from", &execution_row::fallback_from},
    {"interpreter", &execution_row::interpreter},
};

template <class T>
void put_optional(json::object& out, std::string_view name, const std::optional<T>& value)
{
    if (value)
        out.emplace(name, *value);
}

template <class T>
void take_optional(const json::object& from, std::string_view name, std::optional<T>& into)
{
    if (const auto* value = from.if_contains(name))
        into = value->to_number<T>();
}

json::object attempt_to_json(const execution_attempt& attempt)
{
    json::object out{{"number", attempt.number}, {"started_at_ms", attempt.started_at_ms}};
    put_optional(out, "ended_at_ms", attempt.ended_at_ms);
    if (attempt.fault)
        out.emplace("fault", to_string(*attempt.fault));
    if (!attempt.error.empty())
        out.emplace("error", bytes_to_json(attempt.error));
    if (attempt.verdict)
        out.emplace("verdict", to_string(*attempt.verdict));
    put_optional(out, "exit_code", attempt.exit_code);
    put_optional(out, "signal", attempt.signal);
    if (attempt.sandbox)
        out.emplace("sandbox", attempt.sandbox->str());
    out.emplace("stdout_base", attempt.stdout_base);
    out.emplace("stderr_base", attempt.stderr_base);
    put_optional(out, "delay_ms", attempt.delay_ms);
    return out;
}

execution_attempt attempt_from_json(const json::object& from)
{
    execution_attempt out;
    out.number = from.at("number").to_number<int>();
    out.started_at_ms = from.at("started_at_ms").to_number<std::int64_t>();
    take_optional(from, "ended_at_ms", out.ended_at_ms);
    if (const auto* fault = from.if_contains("fault"))
        out.fault = stored(attempt_fault_from, fault->as_string());
    if (const auto* error = from.if_contains("error"))
        out.error = bytes_from_json(*error);
    if (const auto* verdict = from.if_contains("verdict"))
        out.verdict = stored(verdict_from, verdict->as_string());
    take_optional(from, "exit_code", out.exit_code);
    take_optional(from, "signal", out.signal);
    if (const auto* sandbox = from.if_contains("sandbox"))
        out.sandbox = sandbox_id::from_trusted(std::string(sandbox->as_string()));
    out.stdout_base = from.at("stdout_base").to_number<std::uint64_t>();
    out.stderr_base = from.at("stderr_base").to_number<std::uint64_t>();
    take_optional(from, "delay_ms", out.delay_ms);
    return out;
}

json::object collected_to_json(const collect_summary& collected)
{
    json::array skipped;
    for (const auto& [path, reason] : collected.skipped)
        skipped.emplace_back(json::object{{"path", bytes_to_json(path)}, {"reason", bytes_to_json(reason)}});
    return {{"files", collected.files}, {"bytes", collected.bytes}, {"skipped", std::move(skipped)},
        {"skipped_files", collected.skipped_files}, {"partial", collected.partial}, {"error", bytes_to_json(collected.error)}};
}

json::object compile_to_json(const compile_report& report)
{
    json::object out{{"status", to_string(report.status)}, {"verdict", to_string(report.verdict)}};
    put_optional(out, "exit_code", report.exit_code);
    put_optional(out, "signal", report.signal);
    put_optional(out, "cpu_ms", report.cpu_ms);
    put_optional(out, "wall_ms", report.wall_ms);
    if (!report.output.empty())
        out.emplace("output", bytes_to_json(report.output));
    out.emplace("output_truncated", report.output_truncated);
    out.emplace("cached", report.cached);
    out.emplace("cpu_before_us", report.cpu_before_us);
    return out;
}

compile_report compile_from_json(const json::object& from)
{
    compile_report out;
    out.status = stored(execution_status_from, from.at("status").as_string());
    out.verdict = stored(verdict_from, from.at("verdict").as_string());
    take_optional(from, "exit_code", out.exit_code);
    take_optional(from, "signal", out.signal);
    take_optional(from, "cpu_ms", out.cpu_ms);
    take_optional(from, "wall_ms", out.wall_ms);
    if (const auto* output = from.if_contains("output"))
        out.output = bytes_from_json(*output);
    out.output_truncated = from.at("output_truncated").as_bool();
    out.cached = from.at("cached").as_bool();
    out.cpu_before_us = from.at("cpu_before_us").to_number<std::int64_t>();
    return out;
}

json::object note_to_json(const checkpoint_note& note)
{
    return {{"thread", note.thread.str()}, {"id", note.id.str()}, {"error", bytes_to_json(note.error)}};
}

checkpoint_note note_from_json(const json::object& from)
{
    return {thread_name(bytes_from_json(from.at("thread"))), checkpoint_id::from_trusted(bytes_from_json(from.at("id"))),
        bytes_from_json(from.at("error"))};
}

collect_summary collected_from_json(const json::object& from)
{
    collect_summary out;
    out.files = from.at("files").to_number<std::int64_t>();
    out.bytes = from.at("bytes").to_number<std::int64_t>();
    for (const auto& each : from.at("skipped").as_array())
        out.skipped.push_back({bytes_from_json(each.as_object().at("path")), bytes_from_json(each.as_object().at("reason"))});
    out.skipped_files = from.at("skipped_files").to_number<std::int64_t>();
    out.partial = from.at("partial").as_bool();
    out.error = bytes_from_json(from.at("error"));
    return out;
}

}    // namespace

std::string details_text(const execution_row& row)
{
    json::object out;
    for (const auto& [name, member] : text_members)
        if (!(row.*member).empty())
            out.emplace(name, bytes_to_json(row.*member));
    if (!row.attempts.empty()) {
        json::array attempts;
        for (const auto& each : row.attempts)
            attempts.emplace_back(attempt_to_json(each));
        out.emplace("attempts", std::move(attempts));
    }
    put_optional(out, "next_attempt_at_ms", row.next_attempt_at_ms);
    if (row.collected)
        out.emplace("collected", collected_to_json(*row.collected));
    if (row.compile)
        out.emplace("compile", compile_to_json(*row.compile));
    if (row.checkpoint)
        out.emplace("checkpoint", note_to_json(*row.checkpoint));
    return json::serialize(out);
}

void read_details(execution_row& row, std::string_view text)
{
    if (text == "{}")
        return;
    const auto value = json::parse(text);
    const auto& object = value.as_object();
    for (const auto& [name, member] : text_members)
        if (const auto* found = object.if_contains(name))
            row.*member = bytes_from_json(*found);
    if (const auto* attempts = object.if_contains("attempts"))
        for (const auto& each : attempts->as_array())
            row.attempts.push_back(attempt_from_json(each.as_object()));
    take_optional(object, "next_attempt_at_ms", row.next_attempt_at_ms);
    if (const auto* collected = object.if_contains("collected"))
        row.collected = collected_from_json(collected->as_object());
    if (const auto* compile = object.if_contains("compile"))
        row.compile = compile_from_json(compile->as_object());
    if (const auto* note = object.if_contains("checkpoint"))
        row.checkpoint = note_from_json(note->as_object());
}

}    // namespace caisson::sqlite
