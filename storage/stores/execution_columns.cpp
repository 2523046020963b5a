#include "storage/stores/execution_columns.hpp"

#include "storage/sqlite/enums.hpp"
#include "storage/stores/execution_details.hpp"
#include "storage/stores/label_text.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace caisson::sqlite {

namespace json = boost::json;

namespace {

std::string names_text(const std::vector<limit_kind>& kinds)
{
    json::array names;
    for (const auto kind : kinds)
        names.emplace_back(to_string(kind));
    return json::serialize(names);
}

std::string names_text(const std::vector<std::string>& texts) { return json::serialize(json::array(texts.begin(), texts.end())); }

std::vector<limit_kind> limits_hit_from(std::string_view text)
{
    std::vector<limit_kind> kinds;
    const auto value = json::parse(text);
    for (const auto& name : value.as_array())
        kinds.push_back(stored(limit_kind_from, name.as_string()));
    return kinds;
}

std::vector<std::string> texts_from(std::string_view text)
{
    std::vector<std::string> texts;
    const auto value = json::parse(text);
    for (const auto& each : value.as_array())
        texts.emplace_back(std::string_view(each.as_string()));
    return texts;
}

std::optional<int> optional_int(column_reader& columns)
{
    const auto value = columns.optional_integer();
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

}    // namespace

void bind_fixed(statement& into, const execution_row& row)
{
    into.bind(row.id, row.tenant, to_string(row.kind), row.created_at_ms, label_text(row.labels));
    into.bind(row.skill_name.empty() ? std::nullopt : std::optional(row.skill_name));
}

void bind_changing(statement& into, const execution_row& row, std::int64_t kept_bytes)
{
    const auto verdict_name = row.verdict ? std::optional(to_string(*row.verdict)) : std::nullopt;
    into.bind(
        to_string(row.status), verdict_name, row.exit_code, row.signal, row.started_at_ms, row.finished_at_ms, row.duration_ms, row.error);
    into.bind(row.language, row.runtime, row.sandbox, row.pty, row.stdout_truncated, row.stderr_truncated);
    into.bind(names_text(row.limits_hit), names_text(row.degraded));
    into.bind(json::serialize(limits_to_json(row.limits)), json::serialize(usage_to_json(row.usage)),
        json::serialize(stages_to_json(row.stages)));
    into.bind(details_text(row), kept_bytes, row.cancel_requested);
}

execution_row execution_from(column_reader& columns)
{
    const auto object = [&columns] { return json::parse(columns.view()).as_object(); };
    execution_row row;
    row.id = columns.id<execution_id>();
    row.tenant = columns.id<tenant_id>();
    row.kind = stored(execution_kind_from, columns.view());
    row.created_at_ms = columns.integer();
    row.labels = labels_from(columns.view());
    row.status = stored(execution_status_from, columns.view());
    row.verdict = columns.present() ? std::optional(stored(verdict_from, columns.view())) : columns.skip();
    row.exit_code = optional_int(columns);
    row.signal = optional_int(columns);
    row.started_at_ms = columns.optional_integer();
    row.finished_at_ms = columns.optional_integer();
    row.duration_ms = columns.optional_integer();
    row.error = columns.text();
    row.language = columns.text();
    row.runtime = columns.text();
    row.sandbox = columns.present() ? std::optional(columns.id<sandbox_id>()) : columns.skip();
    row.pty = columns.flag();
    row.stdout_truncated = columns.flag();
    row.stderr_truncated = columns.flag();
    row.limits_hit = limits_hit_from(columns.view());
    row.degraded = texts_from(columns.view());
    row.limits = limits_from_json(object());
    row.usage = usage_from_json(object());
    row.stages = stages_from_json(object());
    row.cancel_requested = columns.flag();
    if (columns.present())
        row.skill_name = columns.text();
    else
        columns.skip();
    read_details(row, columns.view());
    return row;
}

}    // namespace caisson::sqlite
