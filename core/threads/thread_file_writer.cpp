#include "core/base/base64.hpp"
#include "core/base/clock.hpp"
#include "core/threads/json_string.hpp"
#include "core/threads/thread_file.hpp"

namespace caisson {

namespace {

/// Builds a canonical object; add members sorted by name.
class object_text {
public:
    object_text& raw(std::string_view name, std::string_view json)
    {
        text_.append(text_.empty() ? "{" : ",").append(quoted_json(name)).append(":").append(json);
        return *this;
    }
    object_text& text(std::string_view name, std::string_view value) { return raw(name, quoted_json(value)); }
    object_text& integer(std::string_view name, std::int64_t value) { return raw(name, std::to_string(value)); }
    std::string done() const { return text_ + "}"; }

private:
    std::string text_;
};

std::string record(std::string_view name, const object_text& members) { return object_text().raw(name, members.done()).done() + "\n"; }

std::string checkpoint_line(const loaded_checkpoint& checkpoint)
{
    const auto& row = checkpoint.row;
    object_text out;
    out.text("created_at", to_rfc3339(row.created_at_ms));
    if (!row.metadata.custom.empty())
        out.raw("custom", row.metadata.custom);
    out.text("digest", row.state.digest).integer("gap", row.gap).text("id", row.id.str()).text("media_type", row.state.media_type);
    if (!row.metadata.node_id.empty())
        out.text("node_id", row.metadata.node_id);
    if (row.parent)
        out.text("parent_id", row.parent->str());
    if (row.pinned)
        out.raw("pinned", "true");
    out.integer("position", row.position);
    if (!checkpoint.request.empty())
        out.text("request", base64_encode(checkpoint.request));
    if (row.rollback_of)
        out.text("rollback_of", row.rollback_of->str());
    if (row.metadata.step)
        out.integer("step", *row.metadata.step);
    if (!row.metadata.tags.empty())
        out.raw("tags", json_of_texts(row.metadata.tags));
    return record("checkpoint", out);
}

bool is_json(const checkpoint_row& row) { return row.state.media_type == json_media_type; }

}    // namespace

thread_file_writer::thread_file_writer(const thread_row& of, hasher_factory make_hasher) : hash_(make_hasher())
{
    object_text head;
    head.integer("caisson_thread", thread_file_version)
        .integer("max_checkpoints", of.retention.max_checkpoints)
        .text("thread", of.name.str());
    if (of.retention.ttl_ms)
        head.integer("ttl_ms", *of.retention.ttl_ms);
    head_ = head.done() + "\n";
}

void thread_file_writer::add(std::string& to, const loaded_checkpoint& checkpoint)
{
    const auto& row = checkpoint.row;
    if (written_.insert(row.state.digest + (is_json(row) ? "j" : "b")).second) {
        object_text state;
        state.text("digest", row.state.digest).text("encoding", is_json(row) ? "json" : "base64");
        to += record("state", state);
        is_json(row) ? to.append(checkpoint.state.view()) : to.append(quoted_json(base64_encode(checkpoint.state.view())));
        to += '\n';
    }
    to += checkpoint_line(checkpoint);
    ++checkpoints_;
}

std::string thread_file_writer::lines(const std::vector<loaded_checkpoint>& checkpoints)
{
    std::string text = std::exchange(head_, {});
    for (const auto& each : checkpoints)
        add(text, each);
    hash_->add(text);
    return text;
}

std::string thread_file_writer::end()
{
    auto text = lines({});    // the head, if the thread has no checkpoints
    object_text end;
    end.integer("checkpoints", checkpoints_).text("sha256", to_hex(hash_->finish()));
    return text + record("end", end);
}

}    // namespace caisson
