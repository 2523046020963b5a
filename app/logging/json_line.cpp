#include "app/logging/json_logger.hpp"
#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace caisson {

namespace {

std::string_view to_string(log_level level)
{
    switch (level) {
    case log_level::debug: return "debug";
    case log_level::info: return "info";
    case log_level::warning: return "warning";
    case log_level::error: return "error";
    }
    return "unknown";
}

/// Valid UTF-8 of about `limit` bytes at most, with a note of the missing bytes.
std::string bounded(std::string_view text, std::size_t limit)
{
    if (text.size() <= limit)
        return to_valid_utf8(text);
    auto head = text.substr(0, limit);
    head.remove_suffix(incomplete_utf8_tail(head));
    return to_valid_utf8(head) + "… (" + std::to_string(text.size() - head.size()) + " more bytes)";
}

boost::json::value bounded(const boost::json::value& value)
{
    if (value.is_string())
        return boost::json::value(bounded(std::string_view(value.get_string()), max_log_value_bytes));
    if (!value.is_structured())
        return value;
    const auto text = boost::json::serialize(value);
    if (text.size() > max_log_value_bytes || !is_utf8(text))
        return boost::json::value(bounded(text, max_log_value_bytes));
    return value;
}

std::string key_of(std::string_view name)
{
    if (name == "ts" || name == "level" || name == "msg")
        return "field_" + std::string(name);
    return bounded(name, 64);
}

}    // namespace

std::string to_log_line(std::int64_t now_ms, log_level level, std::string_view message, std::initializer_list<log_field> fields)
{
    boost::json::object line;
    line["ts"] = to_rfc3339(now_ms);
    line["level"] = to_string(level);
    line["msg"] = bounded(message, max_log_message_bytes);
    std::size_t taken = 0;
    for (const auto& field : fields) {
        if (taken++ == max_log_fields)
            break;
        line[key_of(field.name)] = bounded(field.value);
    }
    return boost::json::serialize(line);
}

}    // namespace caisson
