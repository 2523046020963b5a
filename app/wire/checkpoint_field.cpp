#include "app/wire/checkpoint_field.hpp"

#include "core/base/utf8.hpp"
#include "core/languages/json_text.hpp"
#include "core/threads/rules.hpp"
#include "core/threads/state_text.hpp"

namespace caisson::wire {

namespace {

constexpr std::size_t longest_id = 1'024;    // up to here the rules of ids and names report the length

/// "latest" addresses the newest checkpoint.
std::optional<field_problem> problem_of_id(std::string_view text, const std::string& field)
{
    if (text == "latest")
        return field_problem{field, "must not be \"latest\": that is the newest one's address"};
    return check_checkpoint_id(text, field);
}

std::vector<std::string> read_tags(object_reader& metadata)
{
    std::vector<std::string> tags;
    const auto* list = metadata.array("tags");
    if (list == nullptr)
        return tags;
    if (list->size() > thread_bounds::tags) {
        metadata.problem(
            "tags", "must have at most " + std::to_string(thread_bounds::tags) + " items, not " + std::to_string(list->size()));
        return tags;
    }
    for (std::size_t i = 0; i < list->size(); ++i)
        tags.push_back(
            text_of((*list)[i], metadata.path_of("tags") + "[" + std::to_string(i) + "]", longest_id, metadata.problems()).value_or(""));
    return tags;
}

thread_name read_thread(object_reader& order)
{
    auto name = order.text("thread", longest_id);
    if (!order.has("thread"))
        order.problem("thread", "is required");
    else if (const auto wrong = name ? check_thread_name(*name) : std::nullopt)
        order.problem("thread", wrong->message);
    return thread_name(std::move(name).value_or(""));
}

/// The state in canonical form; empty if it is absent or invalid.
std::string read_ordered_state(object_reader& order, std::string_view text)
{
    if (order.take("state") == nullptr)
        return {};
    state_canonicalizer canonicalizer({.max_bytes = max_ordered_state_bytes});
    const auto canonical = canonicalizer.canonical(json_member(text, "state"));
    if (canonical.has_value())
        return std::string(*canonical);
    order.problem("state", canonical.error().detail);
    return {};
}

/// Applies the rules that thread_service applies to a save.
void settle_metadata(object_reader& order, checkpoint_metadata& metadata)
{
    auto checked = checked_metadata(metadata);
    if (checked.has_value())
        metadata = std::move(*checked);
    else
        for (auto& [field, message] : checked.error().fields)
            order.problem(field, message);
}

}    // namespace

std::optional<checkpoint_id> read_checkpoint_id(object_reader& reader, std::string_view name)
{
    auto text = reader.text(name, longest_id);
    if (!text)
        return std::nullopt;
    if (auto wrong = problem_of_id(*text, reader.path_of(name))) {
        reader.problem(name, wrong->message);
        return std::nullopt;
    }
    return checkpoint_id::from_trusted(std::move(*text));
}

checkpoint_metadata read_checkpoint_metadata(object_reader& reader, std::string_view text)
{
    checkpoint_metadata out;
    const auto* object = reader.object("metadata");
    if (object == nullptr)
        return out;
    object_reader metadata(*object, reader.path_of("metadata"), reader.problems());
    for (const auto* name : {"step", "node_id", "tags", "custom"})
        metadata.allow_null(name);
    out.step = metadata.integer("step", -thread_bounds::step, thread_bounds::step);
    const auto node = metadata.text("node_id", longest_id);
    if (node && node->empty())
        metadata.problem("node_id", "must not be empty");
    out.node_id = node.value_or("");
    out.tags = read_tags(metadata);
    if (metadata.object("custom") != nullptr)
        out.custom = json_member(json_member(text, "metadata"), "custom");
    metadata.refuse_unknown();
    return out;
}

std::optional<checkpoint_order> read_checkpoint(object_reader& reader, std::string_view text)
{
    const auto* object = reader.object("checkpoint");
    if (object == nullptr)
        return std::nullopt;
    const auto own = json_member(text, "checkpoint");
    object_reader order(*object, reader.path_of("checkpoint"), reader.problems());
    for (const auto* name : {"id", "metadata"})
        order.allow_null(name);
    checkpoint_order out;
    out.thread = read_thread(order);
    out.id = read_checkpoint_id(order, "id").value_or(checkpoint_id());
    out.metadata = read_checkpoint_metadata(order, own);
    settle_metadata(order, out.metadata);
    out.pinned = order.boolean("pinned").value_or(false);
    out.state = read_ordered_state(order, own);
    order.refuse_unknown();
    return out;
}

void write_checkpoint_note(json_writer& out, const std::optional<checkpoint_note>& note)
{
    if (!note)
        return;
    out.key("checkpoint").begin_object().key("thread").text(note->thread.str());
    if (!note->id.empty())
        out.key("checkpoint_id").text(note->id.str());
    if (!note->error.empty())
        out.key("error").text(to_valid_utf8(note->error));
    out.end_object();
}

}    // namespace caisson::wire
