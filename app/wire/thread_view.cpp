#include "app/wire/thread_view.hpp"

#include "app/wire/json_writer.hpp"
#include "core/base/base64.hpp"
#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"
#include "core/threads/thread_service.hpp"

namespace caisson::wire {

namespace {

void write_id_or_null(json_writer& out, std::string_view name, const std::optional<checkpoint_id>& id)
{
    out.key(name);
    id ? out.text(id->str()) : out.null();
}

void write_metadata(json_writer& out, const checkpoint_metadata& metadata)
{
    out.key("metadata").begin_object();
    if (metadata.step)
        out.key("step").integer(*metadata.step);
    if (!metadata.node_id.empty())
        out.key("node_id").text(metadata.node_id);
    if (!metadata.tags.empty()) {
        out.key("tags").begin_array();
        for (const auto& tag : metadata.tags)
            out.text(tag);
        out.end_array();
    }
    if (!metadata.custom.empty())
        out.key("custom").raw(metadata.custom);
    out.end_object();
}

void write_artifact(json_writer& out, const artifact_reference& named, const std::optional<artifact_row>* found)
{
    out.begin_object().key("execution_id").text(named.execution.str()).key("path").text(to_valid_utf8(named.path));
    if (found != nullptr)
        out.key("available").boolean(found->has_value());
    if (found != nullptr && *found) {
        const auto& row = **found;
        out.key("size_bytes").integer(row.size_bytes).key("sha256").text(row.sha256).key("media_type").text(to_valid_utf8(row.media_type));
        out.key("created_at").text(to_rfc3339(row.created_at_ms));
    }
    out.end_object();
}

void write_references(json_writer& out, const checkpoint_references& names, const checkpoint_extras& extras)
{
    if (names.execution)
        out.key("execution_id").text(names.execution->str());
    if (names.execution && extras.execution != nullptr) {
        out.key("execution");
        extras.execution->empty() ? out.null() : out.raw(*extras.execution);
    }
    if (names.artifacts.empty())
        return;
    out.key("artifacts").begin_array();
    for (std::size_t i = 0; i < names.artifacts.size(); ++i)
        write_artifact(out, names.artifacts[i], extras.artifacts == nullptr ? nullptr : &(*extras.artifacts)[i]);
    out.end_array();
}

void write_checkpoint(json_writer& out, const checkpoint_row& row, const checkpoint_extras& extras)
{
    out.begin_object().key("id").text(row.id.str()).key("thread").text(row.thread.str());
    write_id_or_null(out, "parent_id", row.parent);
    out.key("position").integer(row.position).key("gap").integer(row.gap);
    if (row.rollback_of)
        out.key("rollback_of").text(row.rollback_of->str());
    write_metadata(out, row.metadata);
    out.key("pinned").boolean(row.pinned);
    write_references(out, row.references, extras);
    out.key("media_type").text(row.state.media_type).key("size_bytes").integer(row.state.size_bytes);
    out.key("digest").text(row.state.digest).key("created_at").text(to_rfc3339(row.created_at_ms));
    if (extras.state != nullptr && row.state.media_type == json_media_type)
        out.key("state").raw(extras.state->view());
    else if (extras.state != nullptr)
        out.key("state_base64").text(base64_encode(extras.state->view()));
    out.end_object();
}

void write_thread(json_writer& out, const thread_row& row)
{
    out.begin_object().key("thread").text(row.name.str());
    out.key("max_checkpoints").integer(row.retention.max_checkpoints).key("ttl_ms");
    row.retention.ttl_ms ? out.integer(*row.retention.ttl_ms) : out.null();
    out.key("checkpoints").integer(row.checkpoints);
    write_id_or_null(out, "latest_id", row.latest);
    if (row.branched_from) {
        out.key("branched_from").begin_object().key("thread").text(row.branched_from->thread.str());
        out.key("checkpoint_id").text(row.branched_from->id.str()).end_object();
    }
    out.key("created_at").text(to_rfc3339(row.created_at_ms)).key("updated_at").text(to_rfc3339(row.updated_at_ms)).end_object();
}

void write_cursor(json_writer& out, const std::optional<std::string>& cursor)
{
    out.key("next_cursor");
    cursor ? out.text(*cursor) : out.null();
}

/// Estimated size of the object beside its state.
constexpr std::size_t beside_state = 2'048;

}    // namespace

std::string checkpoint_json(const checkpoint_row& row, const checkpoint_extras& extras)
{
    std::string text;
    text.reserve(beside_state + (extras.state == nullptr ? 0 : extras.state->size()));
    json_writer out(text);
    write_checkpoint(out, row, extras);
    return text;
}

std::string checkpoint_list_json(const checkpoint_page& page, bool with_states, const std::optional<std::string>& cursor)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("items").begin_array();
    for (const auto& each : page.items)
        write_checkpoint(out, each.row, {with_states ? &each.state : nullptr});
    out.end_array();
    write_cursor(out, cursor);
    out.end_object();
    return text;
}

std::string superseded_json(const checkpoint_row& current, std::string_view request_id)
{
    const auto message = current.id.empty() ? std::string("the thread has no checkpoint") : "the latest checkpoint is " + current.id.str();
    std::string text;
    json_writer out(text);
    out.begin_object().key("error").text(slug(errc::conflict)).key("message").text("if_latest does not hold: " + message);
    out.key("details").begin_object().key("fields").begin_array();
    out.begin_object().key("field").text("if_latest").key("message").text("does not hold: " + message).end_object().end_array();
    out.key("current");
    if (current.id.empty())
        out.null();
    else
        write_checkpoint(out, current, {});
    out.end_object().key("request_id").text(to_valid_utf8(request_id)).end_object();
    return text;
}

std::string thread_json(const thread_row& row)
{
    std::string text;
    json_writer out(text);
    write_thread(out, row);
    return text;
}

std::string thread_list_json(std::span<const thread_row> rows, const std::optional<std::string>& cursor)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("items").begin_array();
    for (const auto& each : rows)
        write_thread(out, each);
    out.end_array();
    write_cursor(out, cursor);
    out.end_object();
    return text;
}

std::string rolled_back_json(const rolled_back& done)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("latest");
    write_checkpoint(out, done.latest, {});
    out.key("removed").integer(done.removed).end_object();
    return text;
}

std::string diff_json(const checkpoint_row& from, const checkpoint_row& to, std::string_view patch)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("from").text(from.id.str()).key("to").text(to.id.str()).key("patch").raw(patch).end_object();
    return text;
}

}    // namespace caisson::wire
