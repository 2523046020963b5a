#include "app/cli/views.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/quantities.hpp"
#include "app/cli/record_view.hpp"
#include "app/cli/text_table.hpp"
#include "core/base/clock.hpp"

namespace caisson::cli {

namespace {

std::string age(std::int64_t since_ms, std::int64_t now_ms)
{
    const auto seconds = (now_ms - since_ms) / 1'000;
    return seconds <= 0 ? "now" : show_duration(seconds * 1'000) + " ago";
}

std::string age_of(const boost::json::object& record, std::int64_t now_ms) { return age_text(text_of(record, "created_at"), now_ms); }

std::string took(const boost::json::object& record)
{
    const auto* value = record.if_contains("duration_ms");
    return value != nullptr && value->is_int64() ? show_duration(value->get_int64()) : "";
}

std::string end_of(const boost::json::object& record)
{
    const auto verdict = text_of(record, "verdict");
    for (const auto* name : {"exit_code", "signal"})
        if (const auto* value = record.if_contains(name); value != nullptr && value->is_int64())
            return (std::string_view(name) == "signal" ? "signal " : "exit ") + std::to_string(value->get_int64());
    return verdict;
}

std::string pairs_of(const boost::json::object& record, std::string_view name)
{
    std::string text;
    if (const auto* value = record.if_contains(name); value != nullptr && value->is_object())
        for (const auto& member : value->get_object())
            text += (text.empty() ? "" : " ") + std::string(member.key()) + "=" + text_of(value->get_object(), member.key());
    return text;
}

std::string what_of(const boost::json::object& record)
{
    if (const auto skill = text_of(record, "skill_name"); !skill.empty())
        return skill + "@" + text_of(record, "skill_version");
    const auto language = text_of(record, "language");
    return language.empty() ? text_of(record, "kind") : language;
}

std::string scopes_of(const api_key_row& key)
{
    std::string text;
    for (const auto each : key.scopes)
        text += (text.empty() ? "" : ",") + std::string(to_string(each));
    return text;
}

text_table::cell key_state(const api_key_row& key, std::int64_t now_ms)
{
    if (key.revoked_at_ms)
        return {"revoked", colour::red};
    if (key.expires_at_ms && *key.expires_at_ms <= now_ms)
        return {"expired", colour::red};
    return {"active", colour::green};
}

boost::json::value time_or_null(const std::optional<std::int64_t>& at_ms)
{
    if (!at_ms)
        return nullptr;
    return boost::json::value(to_rfc3339(*at_ms));
}

/// " #3" for an execution that waits for its turn.
std::string place_of(const boost::json::object& record)
{
    const auto* place = record.if_contains("queue_position");
    return place != nullptr && place->is_int64() ? " #" + std::to_string(place->get_int64()) : std::string();
}

}    // namespace

std::string size_text(const boost::json::object& from, std::string_view name)
{
    const auto* value = from.if_contains(name);
    return value != nullptr && value->is_int64() ? show_bytes(value->get_int64()) : "";
}

std::string age_text(const std::string& time, std::int64_t now_ms)
{
    const auto at = from_rfc3339(time);
    return at ? age(*at, now_ms) : "";
}

std::string executions_table(const boost::json::array& items, std::int64_t now_ms, bool colours, std::size_t columns)
{
    text_table table({"ID", "STATUS", "END", "WHAT", "CREATED", "TOOK", "LABELS"});
    for (const auto& item : items) {
        if (!item.is_object())
            continue;
        const auto& record = item.get_object();
        const auto status = text_of(record, "status");
        table.add({{one_line(text_of(record, "execution_id"), 40)}, {one_line(status, 20) + place_of(record), colour_of_status(status)},
            {one_line(end_of(record), 20)}, {one_line(what_of(record), 40)}, {age_of(record, now_ms)}, {took(record)},
            {one_line(pairs_of(record, "labels"), 60)}});
    }
    table.fit(columns, {"LABELS", "TOOK", "END", "CREATED"});
    return table.str(colours);
}

std::string keys_table(std::span<const api_key_row> keys, std::int64_t now_ms, bool colours)
{
    text_table table({"ID", "TENANT", "KEY", "SCOPES", "STATE", "CREATED", "EXPIRES", "LAST USED"});
    for (const auto& key : keys)
        table.add({{key.id.str()}, {one_line(key.tenant_name, 30)}, {"…" + key.hint}, {scopes_of(key)}, key_state(key, now_ms),
            {age(key.created_at_ms, now_ms)}, {key.expires_at_ms ? to_rfc3339(*key.expires_at_ms) : "never"},
            {key.last_used_at_ms ? age(*key.last_used_at_ms, now_ms) : "never"}});
    return table.str(colours);
}

boost::json::array keys_json(std::span<const api_key_row> keys)
{
    boost::json::array items;
    for (const auto& key : keys) {
        boost::json::array scopes;
        for (const auto each : key.scopes)
            scopes.emplace_back(to_string(each));
        items.push_back({{"id", key.id.str()}, {"tenant", key.tenant_name}, {"tenant_id", key.tenant.str()}, {"hint", key.hint},
            {"scopes", std::move(scopes)}, {"created_at", to_rfc3339(key.created_at_ms)}, {"expires_at", time_or_null(key.expires_at_ms)},
            {"last_used_at", time_or_null(key.last_used_at_ms)}, {"revoked_at", time_or_null(key.revoked_at_ms)}});
    }
    return items;
}

}    // namespace caisson::cli
