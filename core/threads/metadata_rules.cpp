#include "core/threads/metadata_rules.hpp"

#include "core/base/json_bytes.hpp"
#include "core/threads/json_string.hpp"
#include "core/threads/rules.hpp"
#include "core/threads/state_text.hpp"
#include "core/threads/text_index.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <ranges>
#include <unordered_map>

namespace caisson {

namespace json = boost::json;

namespace {

/// Appends `part` with its length, so that parts are unambiguous.
void append_part(std::string& to, std::string_view part) { to.append(std::to_string(part.size())).append(":").append(part); }

bool is_value(const text_index& index, text_index::position at, const custom_condition& wanted)
{
    const auto kind = index.kind(at);
    if (kind == json_kind::string)
        return index.text(at) == quoted_json(wanted.value);
    const bool is_simple = kind == json_kind::number || kind == json_kind::word;
    return index.text(at) == (is_simple ? wanted.value : wanted.composite);
}

}    // namespace

custom_condition condition_on(std::string_view name, std::string value)
{
    custom_condition made{quoted_json(name), std::move(value), {}};
    state_canonicalizer canonicalizer({.max_bytes = thread_bounds::custom_bytes, .max_depth = thread_bounds::custom_depth});
    const auto form = canonicalizer.canonical(made.value);
    if (form.has_value() && (form->starts_with('{') || form->starts_with('[')))
        made.composite = *form;
    return made;
}

bool custom_has(std::string_view custom, std::span<const custom_condition> wanted)
{
    if (custom.empty() || wanted.empty())
        return wanted.empty();
    std::unordered_multimap<std::string_view, const custom_condition*> by_name;
    for (const auto& each : wanted)
        by_name.emplace(each.quoted_name, &each);
    const text_index index(custom);
    std::size_t met = 0;
    text_index::position at = 0;
    for (std::size_t i = 0; i < index.size(0); ++i) {
        at = i == 0 ? index.first(0) : index.next(at);
        const auto [begin, end] = by_name.equal_range(index.name(at));
        for (const auto& [name, condition] : std::ranges::subrange(begin, end)) {
            if (!is_value(index, at, *condition))
                return false;
            ++met;
        }
    }
    return met == wanted.size();
}

bool matches(const checkpoint_metadata& metadata, const metadata_filter& wanted)
{
    if ((wanted.step && metadata.step != wanted.step) || (wanted.node_id && metadata.node_id != *wanted.node_id))
        return false;
    const auto has = [&metadata](const std::string& tag) { return std::ranges::find(metadata.tags, tag) != metadata.tags.end(); };
    return std::ranges::all_of(wanted.tags, has) && custom_has(metadata.custom, wanted.custom);
}

std::string artifacts_text(const std::vector<artifact_reference>& artifacts)
{
    if (artifacts.empty())
        return {};
    json::array list;
    for (const auto& [execution, path] : artifacts)
        list.emplace_back(json::object{{"execution_id", execution.str()}, {"path", bytes_to_json(path)}});
    return json::serialize(list);
}

std::vector<artifact_reference> artifacts_from(std::string_view text)
{
    std::vector<artifact_reference> found;
    if (text.empty())
        return found;
    const auto list = json::parse(text);
    for (const auto& each : list.as_array()) {
        const auto& object = each.as_object();
        auto execution = execution_id::from_trusted(std::string(object.at("execution_id").as_string()));
        found.push_back({std::move(execution), bytes_from_json(object.at("path"))});
    }
    return found;
}

std::string request_text(const checkpoint_row& row, std::string_view digest, const std::optional<checkpoint_id>& parent)
{
    std::string text;
    append_part(text, digest);
    append_part(text, row.state.media_type);
    append_part(text, parent ? parent->str() : std::string_view());
    append_part(text, row.metadata.step ? std::to_string(*row.metadata.step) : std::string());
    append_part(text, row.metadata.node_id);
    append_part(text, std::to_string(row.metadata.tags.size()));
    for (const auto& tag : row.metadata.tags)
        append_part(text, tag);
    append_part(text, row.metadata.custom);
    append_part(text, row.references.execution ? row.references.execution->str() : std::string_view());
    append_part(text, artifacts_text(row.references.artifacts));
    append_part(text, row.references.snapshot);
    return text;
}

}    // namespace caisson
