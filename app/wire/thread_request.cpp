#include "app/wire/thread_request.hpp"

#include "app/wire/checkpoint_field.hpp"
#include "app/wire/paths.hpp"
#include "app/wire/request_reader.hpp"
#include "core/base/base64.hpp"
#include "core/languages/json_text.hpp"
#include "core/threads/rules.hpp"

#include <algorithm>
#include <array>

namespace caisson::wire {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_name = 1'024;    // up to here the rules of ids and names report the length

std::optional<expected_latest> read_expected(object_reader& reader)
{
    if (!reader.has("if_latest"))
        return std::nullopt;
    if (reader.take("if_latest")->is_null())
        return expected_latest{};
    auto id = read_checkpoint_id(reader, "if_latest");
    return id ? std::optional(expected_latest{std::move(id)}) : std::nullopt;
}

std::optional<execution_id> read_execution_id(object_reader& reader)
{
    const auto text = reader.text("execution_id", longest_name);
    if (!text)
        return std::nullopt;
    auto id = execution_id::parse(*text);
    if (!id)
        reader.problem("execution_id", "is not an id of an execution");
    return id;
}

std::string checked_file_path(const json::value& value, const std::string& field, problem_list& problems)
{
    auto text = text_of(value, field, max_path_bytes, problems);
    if (!text)
        return {};
    auto [path, problem] = check_file(*text);
    if (!problem.empty())
        problems.add(field, problem);
    return path;
}

/// A path of the checkpoint's own execution, or {"execution_id", "path"}.
void read_artifact(object_reader& reader, const json::value& value, const std::string& field, checkpoint_references& into)
{
    auto& problems = reader.problems();
    if (value.is_string()) {
        if (!into.execution)
            problems.add(field, "is a path, and there is no execution_id that it is of");
        else
            into.artifacts.push_back({*into.execution, checked_file_path(value, field, problems)});
        return;
    }
    if (!value.is_object())
        return problems.add(field, "must be a path or an object with execution_id and path");
    object_reader object(value.get_object(), field, problems);
    const auto execution = read_execution_id(object);
    const auto* path = object.take("path");
    if (path == nullptr)
        object.problem("path", "is required");
    else if (auto checked = checked_file_path(*path, object.path_of("path"), problems); execution)
        into.artifacts.push_back({*execution, std::move(checked)});
    if (!object.has("execution_id"))
        object.problem("execution_id", "is required");
    object.refuse_unknown();
}

checkpoint_references read_references(object_reader& reader)
{
    checkpoint_references out;
    for (const auto* name : {"execution_id", "artifacts", "snapshot_id"})
        reader.allow_null(name);
    out.execution = read_execution_id(reader);
    if (reader.take("snapshot_id") != nullptr)
        reader.later("snapshot_id");
    const auto* list = reader.array("artifacts");
    if (list == nullptr)
        return out;
    if (list->size() > max_artifact_references)
        reader.problem("artifacts", "must have at most " + std::to_string(max_artifact_references) + " items");
    for (std::size_t i = 0; i < std::min(list->size(), max_artifact_references); ++i)
        read_artifact(reader, (*list)[i], reader.path_of("artifacts") + "[" + std::to_string(i) + "]", out);
    std::size_t bytes = 0;
    for (const auto& each : out.artifacts)
        bytes += each.path.size();
    if (bytes > max_reference_bytes)
        reader.problem("artifacts",
            "have paths of " + std::to_string(bytes) + " bytes together, at most " + std::to_string(max_reference_bytes) + " are possible");
    return out;
}

void read_bytes(object_reader& reader, checkpoint_wish& out, std::size_t max_bytes)
{
    auto type = reader.text("media_type", max_media_type_bytes);
    if (!reader.has("media_type"))
        reader.problem("media_type", "is required with state_base64");
    else if (type && (!is_media_type(*type) || is_json_type(*type)))
        reader.problem("media_type", "must be a media type such as application/x-pickle, other than application/json");
    const auto text = reader.text("state_base64", max_bytes / 3 * 4 + 4);
    auto bytes = text ? base64_decode(*text) : std::nullopt;
    if (text && !bytes)
        reader.problem("state_base64", "is not base64");
    else if (bytes && bytes->size() > max_bytes)
        reader.problem("state_base64", "must be at most " + std::to_string(max_bytes) + " bytes long when decoded");
    out.bytes = shared_bytes(std::move(bytes).value_or(""));
    out.state = out.bytes.view();
    out.media_type = std::move(type).value_or("");
}

void read_state(object_reader& reader, checkpoint_wish& out, std::string_view body, std::size_t max_bytes)
{
    const bool is_json = reader.take("state") != nullptr;
    const bool is_bytes = reader.has("state_base64");
    if (is_json && is_bytes)
        reader.problem("state_base64", "cannot be given together with state");
    if (is_bytes)
        return read_bytes(reader, out, max_bytes);
    if (!is_json)
        reader.problem("state", "is required");
    if (reader.take("media_type") != nullptr)
        reader.problem("media_type", "is for states that are given as state_base64");
    out.state = json_member(body, "state");
}

result<json::object> small_object(std::string_view body) { return parse_json_object(body, {.max_bytes = most_beside_state}); }

/// `value`, or the error of all problems.
template <class T>
result<T> finish(object_reader& reader, T value)
{
    reader.refuse_unknown();
    if (!reader.problems().empty())
        return reader.problems().to_error();
    return value;
}

std::optional<checkpoint_id> required_id(object_reader& reader, std::string_view name)
{
    if (!reader.has(name))
        reader.problem(name, "is required");
    return read_checkpoint_id(reader, name);
}

}    // namespace

result<checkpoint_wish> parse_checkpoint_request(std::string_view body, std::size_t max_state_bytes)
{
    json_bounds bounds;
    bounds.passed_depth = 1;
    bounds.passed_name = "state";
    auto object = parse_json_object(body, bounds);
    if (!object)
        return object.error();
    problem_list problems;
    object_reader reader(*object, "", problems);
    for (const auto* name : {"id", "parent_id", "metadata"})
        reader.allow_null(name);
    checkpoint_wish out;
    out.id = read_checkpoint_id(reader, "id");
    out.parent = read_checkpoint_id(reader, "parent_id");
    out.if_latest = read_expected(reader);
    out.metadata = read_checkpoint_metadata(reader, body);
    out.references = read_references(reader);
    out.pinned = reader.boolean("pinned").value_or(false);
    read_state(reader, out, body, max_state_bytes);
    return finish(reader, std::move(out));
}

result<retention_policy> parse_policy_request(std::string_view body, const retention_policy& defaults)
{
    auto object = small_object(body);
    if (!object)
        return object.error();
    problem_list problems;
    object_reader reader(*object, "", problems);
    reader.allow_null("ttl_ms");
    auto policy = defaults;
    if (const auto most = reader.integer("max_checkpoints", 1, thread_bounds::max_checkpoints))
        policy.max_checkpoints = *most;
    if (reader.has("ttl_ms"))
        policy.ttl_ms = reader.integer("ttl_ms", 1, thread_bounds::ttl_ms);
    return finish(reader, policy);
}

result<rollback_request> parse_rollback_request(std::string_view body)
{
    auto object = small_object(body);
    if (!object)
        return object.error();
    static constexpr std::array<std::string_view, 2> modes{"append", "truncate"};
    problem_list problems;
    object_reader reader(*object, "", problems);
    rollback_request out;
    out.to = required_id(reader, "checkpoint_id").value_or(checkpoint_id());
    if (!reader.has("mode"))
        reader.problem("mode", "is required: \"append\" keeps what came later, \"truncate\" removes it");
    out.mode = reader.choice("mode", modes) == 1u ? rollback_mode::truncate : rollback_mode::append;
    return finish(reader, std::move(out));
}

result<branch_request> parse_branch_request(std::string_view body)
{
    auto object = small_object(body);
    if (!object)
        return object.error();
    problem_list problems;
    object_reader reader(*object, "", problems);
    branch_request out;
    reader.allow_null("checkpoint_id");
    out.from = read_checkpoint_id(reader, "checkpoint_id");
    auto name = reader.text("thread", longest_name);
    if (!reader.has("thread"))
        reader.problem("thread", "is required: the name of the new thread");
    else if (const auto wrong = name ? check_thread_name(*name) : std::nullopt)
        reader.problem("thread", wrong->message);
    out.thread = thread_name(std::move(name).value_or(""));
    return finish(reader, std::move(out));
}

}    // namespace caisson::wire
