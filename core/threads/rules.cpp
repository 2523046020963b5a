#include "core/threads/rules.hpp"

#include "core/base/utf8.hpp"
#include "core/threads/state_text.hpp"

#include <algorithm>
#include <string>

namespace caisson {

namespace {

bool is_visible(char c) { return c > ' ' && c < '\x7F'; }

bool is_id_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

/// Checks a name. `is_right`: its characters and length are as `wanted`.
std::optional<field_problem> name_problem(bool is_right, std::string_view text, const std::string& wanted, std::string_view field)
{
    if (!is_right)
        return field_problem{std::string(field), "must be 1 to " + wanted};
    if (text == "." || text == "..")
        return field_problem{std::string(field), "must not be \".\" or \"..\""};
    return std::nullopt;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7F'; }

/// Checks a short human-readable text. Empty if it is valid.
std::string label_problem(std::string_view text, std::size_t max_bytes)
{
    if (text.empty())
        return "must not be empty";
    if (text.size() > max_bytes)
        return "must be at most " + std::to_string(max_bytes) + " bytes long, not " + std::to_string(text.size());
    if (!is_utf8(text))
        return "must be UTF-8";
    if (std::ranges::any_of(text, is_control))
        return "must not have control characters";
    return {};
}

std::string range_problem(std::int64_t value, std::int64_t min, std::int64_t max)
{
    if (value >= min && value <= max)
        return {};
    return "must be between " + std::to_string(min) + " and " + std::to_string(max) + ", not " + std::to_string(value);
}

void add(std::vector<field_problem>& problems, std::string field, std::string message)
{
    if (!message.empty())
        problems.push_back({std::move(field), std::move(message)});
}

void check_tags(const std::vector<std::string>& tags, std::vector<field_problem>& problems)
{
    if (tags.size() > thread_bounds::tags) {
        const auto most = std::to_string(thread_bounds::tags);
        return add(problems, "metadata.tags", "must have at most " + most + " items, not " + std::to_string(tags.size()));
    }
    for (auto tag = tags.begin(); tag != tags.end(); ++tag) {
        const auto field = "metadata.tags[" + std::to_string(tag - tags.begin()) + "]";
        add(problems, field, label_problem(*tag, thread_bounds::tag_bytes));
        if (const auto same = std::find(tags.begin(), tag, *tag); same != tag)
            add(problems, field, "is the same as metadata.tags[" + std::to_string(same - tags.begin()) + "]");
    }
}

/// Brings `custom` into canonical form. Returns the problem, empty if there is none.
std::string settle_custom(std::string& custom)
{
    if (custom.empty())
        return {};
    state_canonicalizer canonicalizer({.max_bytes = thread_bounds::custom_bytes, .max_depth = thread_bounds::custom_depth});
    const auto canonical = canonicalizer.canonical(custom);
    if (canonical.has_error())
        return canonical.error().detail;
    if (!canonical->starts_with('{'))
        return "must be an object";
    custom.assign(*canonical);
    return {};
}

}    // namespace

std::optional<field_problem> check_thread_name(std::string_view text, std::string_view field)
{
    const bool is_right = !text.empty() && text.size() <= max_thread_name_bytes && std::ranges::all_of(text, is_visible);
    return name_problem(is_right, text, std::to_string(max_thread_name_bytes) + " visible ASCII characters, without spaces", field);
}

std::optional<field_problem> check_checkpoint_id(std::string_view text, std::string_view field)
{
    const bool is_right = !text.empty() && text.size() <= max_checkpoint_id_bytes && std::ranges::all_of(text, is_id_character);
    return name_problem(is_right, text, std::to_string(max_checkpoint_id_bytes) + " letters, digits and . _ -", field);
}

bool is_media_type(std::string_view text)
{
    const auto is_token = [](char c) {
        return c > ' ' && c < '\x7f' && std::string_view("()<>@,;:\\\"/[]?=").find(c) == std::string_view::npos;
    };
    const auto slash = text.find('/');
    return text.size() <= max_media_type_bytes && slash != std::string_view::npos && slash != 0 && slash + 1 < text.size() &&
           std::ranges::all_of(text.substr(0, slash), is_token) && std::ranges::all_of(text.substr(slash + 1), is_token);
}

bool is_json_type(std::string_view media_type)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(media_type, std::string_view("application/json"), {}, lower);
}

result<checkpoint_metadata> checked_metadata(checkpoint_metadata raw)
{
    std::vector<field_problem> problems;
    if (raw.step)
        add(problems, "metadata.step", range_problem(*raw.step, -thread_bounds::step, thread_bounds::step));
    if (!raw.node_id.empty())
        add(problems, "metadata.node_id", label_problem(raw.node_id, thread_bounds::node_id_bytes));
    check_tags(raw.tags, problems);
    add(problems, "metadata.custom", settle_custom(raw.custom));
    if (!problems.empty())
        return error{errc::bad_request, "the metadata cannot be taken", std::move(problems)};
    return raw;
}

std::vector<field_problem> check_retention(const retention_policy& policy)
{
    std::vector<field_problem> problems;
    add(problems, "max_checkpoints", range_problem(policy.max_checkpoints, 1, thread_bounds::max_checkpoints));
    if (policy.ttl_ms)
        add(problems, "ttl_ms", range_problem(*policy.ttl_ms, 1, thread_bounds::ttl_ms));
    return problems;
}

}    // namespace caisson
