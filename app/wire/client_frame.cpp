#include "app/wire/client_frame.hpp"

#include "core/admission/idempotency.hpp"
#include "core/languages/json_text.hpp"

#include <boost/json/serialize.hpp>

#include <array>

namespace caisson::wire {

namespace json = boost::json;

namespace {

constexpr std::size_t max_ref_bytes = 64;
constexpr std::size_t max_key_bytes = 255;
constexpr std::size_t max_id_bytes = 64;
constexpr std::size_t max_cursor_bytes = 128;

constexpr std::array<std::string_view, 7> connect_types{"stdin", "stdin_eof", "signal", "resize", "cancel", "run", "attach"};
constexpr std::span<const std::string_view> stream_types = std::span(connect_types).first(5);

std::optional<execution_id> read_session_execution(object_reader& reader)
{
    const auto text = reader.text("execution_id", max_id_bytes);
    if (!text)
        return std::nullopt;
    auto id = execution_id::parse(*text);
    if (!id)
        reader.problem("execution_id", "is not the id of an execution");
    return id;
}

frame_target read_target(object_reader& reader, const std::string& ref, frame_scope scope)
{
    if (scope == frame_scope::stream)    // the URL names the execution
        return {std::nullopt, ref};
    frame_target out{read_session_execution(reader), ref};
    if (reader.has("execution_id") == reader.has("ref"))
        reader.problem("ref", reader.has("ref") ? "cannot be combined with execution_id" : "or execution_id is required");
    return out;
}

log_position read_position(object_reader& reader)
{
    const auto cursor = reader.text("after", max_cursor_bytes);
    if (!cursor)
        return {};
    const auto position = from_cursor(*cursor);
    if (!position)
        reader.problem("after", "is not a cursor");
    return position.value_or(log_position{});
}

/// Omits the fields that a repeat may change. Takes `input` from `text`, because it is null in `frame`.
std::string content_of(json::object frame, std::string_view text)
{
    for (const auto* name : {"type", "ref", "idempotency_key"})
        frame.erase(name);
    return json::serialize(frame) + std::string(json_member(text, "input"));
}

client_frame read_run(
    object_reader& reader, const json::object& frame, const std::string& ref, std::string_view text, const wire_context& context)
{
    if (!reader.has("ref"))
        reader.problem("ref", "is required");
    const auto key = reader.text("idempotency_key", max_key_bytes, 1);
    if (key && !is_idempotency_key(*key))
        reader.problem("idempotency_key", "must be 1 to 255 printable ASCII characters");
    auto request = read_execution(reader, context, text);
    return run_frame{ref, std::move(request), key.value_or(""), key ? content_of(frame, text) : std::string()};
}

client_frame read_attach(object_reader& reader, const std::string& ref)
{
    auto id = read_session_execution(reader);
    if (!reader.has("execution_id"))
        reader.problem("execution_id", "is required");
    return attach_frame{id.value_or(execution_id()), ref, read_position(reader)};
}

client_frame read_resize(object_reader& reader, frame_target target)
{
    for (auto name : {"cols", "rows"})
        if (!reader.has(name))
            reader.problem(name, "is required");
    return resize_frame{std::move(target), read_pty_size(reader)};
}

client_frame read_frame(object_reader& reader, const json::object& frame, std::string_view type, const std::string& ref, frame_scope scope,
    std::string_view text, const wire_context& context)
{
    if (type == "run")
        return read_run(reader, frame, ref, text, context);
    if (type == "attach")
        return read_attach(reader, ref);
    auto target = read_target(reader, ref, scope);
    if (type == "stdin")
        return stdin_frame{std::move(target), read_stdin(reader)};
    if (type == "stdin_eof")
        return stdin_frame{std::move(target), {{}, std::nullopt, true}};
    if (type == "signal")
        return signal_frame{std::move(target), read_signal(reader)};
    if (type == "resize")
        return read_resize(reader, std::move(target));
    return cancel_frame{std::move(target)};
}

}    // namespace

parsed_frame parse_client_frame(std::string_view text, frame_scope scope, const wire_context& context)
{
    auto object = parse_json_object(text, with_input_at(1));
    if (!object)
        return {{}, object.error()};
    problem_list problems;
    object_reader reader(*object, "", problems);
    const auto ref = reader.text("ref", max_ref_bytes, 1).value_or("");
    const auto types = scope == frame_scope::connect ? std::span<const std::string_view>(connect_types) : stream_types;
    const auto type = reader.choice("type", types);
    if (!reader.has("type"))
        reader.problem("type", "is required");
    if (!type)
        return {ref, problems.to_error()};
    auto frame = read_frame(reader, *object, types[*type], ref, scope, text, context);
    reader.refuse_unknown();
    if (!problems.empty())
        return {ref, problems.to_error()};
    return {ref, std::move(frame)};
}

}    // namespace caisson::wire
