#include "app/wire/execution_view.hpp"

#include "app/wire/attempts_view.hpp"
#include "app/wire/checkpoint_field.hpp"
#include "app/wire/compile_view.hpp"
#include "app/wire/skill_fields.hpp"
#include "app/wire/webhook_field.hpp"
#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"

namespace caisson::wire {

namespace {

template <class Number>
void write_optional(json_writer& out, std::string_view name, const std::optional<Number>& value)
{
    if (value)
        out.key(name).integer(*value);
}

/// Omits an empty value.
void write_text_if_any(json_writer& out, std::string_view name, const std::string& value)
{
    if (!value.empty())
        out.key(name).text(to_valid_utf8(value));
}

void write_time_if_any(json_writer& out, std::string_view name, const std::optional<std::int64_t>& at_ms)
{
    if (at_ms)
        out.key(name).text(to_rfc3339(*at_ms));
}

void write_ending(json_writer& out, const execution_row& row)
{
    if (row.verdict)
        out.key("verdict").text(to_string(*row.verdict));
    out.key("limits_hit").begin_array();
    for (auto limit : row.limits_hit)
        out.text(to_string(limit));
    out.end_array();
    write_optional(out, "exit_code", row.exit_code);
    write_optional(out, "signal", row.signal);
}

void write_output(json_writer& out, const inline_texts& texts)
{
    out.key("stdout").text(texts.stdout_text.text).key("stderr").text(texts.stderr_text.text).key("logs").text(texts.logs.text);
    out.key("stdout_lossy").boolean(texts.stdout_text.lossy).key("stderr_lossy").boolean(texts.stderr_text.lossy);
}

void write_truncation(json_writer& out, const execution_row& row, const inline_texts* texts)
{
    out.key("stdout_truncated").boolean(row.stdout_truncated || (texts != nullptr && texts->stdout_text.truncated));
    out.key("stderr_truncated").boolean(row.stderr_truncated || (texts != nullptr && texts->stderr_text.truncated));
}

void write_where(json_writer& out, const execution_row& row)
{
    out.key("tenant_id").text(row.tenant.str());
    out.key("labels").begin_object();
    for (const auto& [name, value] : row.labels)
        out.key(name).text(value);
    out.end_object().key("runtime").text(row.runtime);
    write_text_if_any(out, "fallback_from", row.fallback_from);
    write_text_if_any(out, "image", row.image);
    write_text_if_any(out, "image_digest", row.image_digest);
    out.key("degraded").begin_array();
    for (const auto& control : row.degraded)
        out.text(control);
    out.end_array();
}

void write_execution(json_writer& out, const execution_row& row, const execution_parts& parts)
{
    const auto* const texts = parts.texts;
    out.begin_object().key("execution_id").text(row.id.str());
    out.key("kind").text(to_string(row.kind));
    if (!row.language.empty())
        out.key("language").text(row.language);
    out.key("status").text(to_string(row.status));
    if (row.queue_position && row.status == execution_status::queued)
        out.key("queue_position").unsigned_integer(*row.queue_position);
    if (!row.waits_for.empty())
        out.key("waits_for").text(to_valid_utf8(row.waits_for));
    write_skill(out, row);
    if (parts.payload != nullptr)
        write_payload(out, *parts.payload);
    write_ending(out, row);
    if (texts != nullptr)
        write_output(out, *texts);
    write_truncation(out, row, texts);
    write_compile(out, row, parts.skipped == skipped_names::left_out ? compiler_output::left_out : compiler_output::whole);
    write_attempts(out, row);
    write_artifacts(out, row, parts.files, parts.skipped);
    if (parts.webhook != nullptr)
        write_webhook(out, *parts.webhook);
    write_checkpoint_note(out, row.checkpoint);
    write_optional(out, "duration_ms", row.duration_ms);
    out.key("error");
    if (row.error.empty())
        out.null();
    else
        out.text(to_valid_utf8(row.error));
    out.key("usage").value(usage_to_json(row.usage)).key("stages").value(stages_to_json(row.stages));
    out.key("limits").value(limits_to_json(row.limits));
    write_where(out, row);
    write_time_if_any(out, "created_at", row.created_at_ms);
    write_time_if_any(out, "started_at", row.started_at_ms);
    write_time_if_any(out, "finished_at", row.finished_at_ms);
    out.end_object();
}

}    // namespace

std::string execution_json(const execution_row& row, const execution_parts& parts)
{
    std::size_t about = 2'048;
    if (parts.texts != nullptr)
        about += parts.texts->logs.text.size() * 2 + parts.texts->logs.text.size() / 8;
    if (parts.payload != nullptr)
        about += parts.payload->input.size() + parts.payload->output.size();
    std::string text;
    text.reserve(about);
    json_writer out(text);
    write_execution(out, row, parts);
    return text;
}

std::string execution_list_json(std::span<const execution_item> items, const std::optional<std::string>& next_cursor)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("items").begin_array();
    for (const auto& item : items)
        write_execution(out, *item.row, {.texts = item.output, .skipped = skipped_names::left_out});
    out.end_array().key("next_cursor");
    if (next_cursor)
        out.text(*next_cursor);
    else
        out.null();
    out.end_object();
    return text;
}

}    // namespace caisson::wire
