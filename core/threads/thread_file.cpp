#include "core/threads/thread_file.hpp"

#include "core/base/base64.hpp"
#include "core/base/clock.hpp"
#include "core/threads/json_members.hpp"
#include "core/threads/json_string.hpp"
#include "core/threads/retention_rules.hpp"
#include "core/threads/rules.hpp"

#include <array>
#include <span>

namespace caisson {

namespace {

constexpr std::size_t most_record_bytes = 256 << 10;                             // of a line that is not a state
constexpr std::int64_t most_checkpoints = 2 * thread_bounds::max_checkpoints;    // pinned checkpoints may exceed the policy
/// Leaves room for as many later positions.
constexpr std::int64_t most_position = thread_bounds::step / 2;
/// Tolerance for clock differences between servers.
constexpr std::int64_t most_ahead_ms = 86'400'000;
constexpr std::size_t digest_bytes = 32;

constexpr std::array<std::string_view, 4> head_members{"caisson_thread", "max_checkpoints", "thread", "ttl_ms"};
constexpr std::array<std::string_view, 2> state_members{"digest", "encoding"};
constexpr std::array<std::string_view, 2> end_members{"checkpoints", "sha256"};
constexpr std::array<std::string_view, 14> checkpoint_members{"created_at", "custom", "digest", "gap", "id", "media_type", "node_id",
    "parent_id", "pinned", "position", "request", "rollback_of", "step", "tags"};

/// "x that is not known" for the first member whose name is not in `names`; empty if all are known.
std::string unknown_member(const json_members& said, std::span<const std::string_view> names)
{
    const auto name = said.first_but(names);
    return name ? name->substr(0, max_checkpoint_id_bytes) + " that is not known" : std::string();
}

/// A phrase about the first member that is unknown or of the wrong kind; empty if there is none.
std::string wrong_kind(const json_members& said)
{
    if (auto unknown = unknown_member(said, checkpoint_members); !unknown.empty())
        return unknown;
    for (const auto* name : {"position", "gap", "step"})
        if (said.raw(name) && !said.integer(name))
            return std::string(name) + " that is no integer";
    for (const auto* name : {"id", "parent_id", "rollback_of", "created_at", "node_id", "digest", "media_type", "request"})
        if (said.raw(name) && !said.text(name))
            return std::string(name) + " that is no text";
    if (const auto pinned = said.raw("pinned"); pinned && pinned != "true" && pinned != "false")
        return "pinned that is neither true nor false";
    if (const auto tags = said.raw("tags"); tags && *tags != json_of_texts(said.texts("tags")))
        return "tags that are no list of texts";
    return {};
}

/// The canonical form of a line. Errors: errc::bad_request, errc::too_large.
result<std::string> canonical_line(std::string_view text)
{
    state_canonicalizer canonicalizer({.max_bytes = most_record_bytes, .max_depth = thread_bounds::custom_depth + 3});
    const auto canonical = canonicalizer.canonical(text);
    if (canonical.has_error())
        return canonical.error();
    return std::string(*canonical);
}

}    // namespace

thread_file_reader::thread_file_reader(uses use) : use_(std::move(use)), hash_(use_.make_hasher()) { }

error thread_file_reader::wrong(std::string what) const
{
    auto message = "line " + std::to_string(number_) + " " + std::move(what);
    auto detail = "the file cannot be imported: " + message;
    return {errc::bad_request, std::move(detail), {{"body", std::move(message)}}};
}

result<void> thread_file_reader::feed(std::string_view bytes, const packing_base* base)
{
    base_ = base;
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        const auto part = bytes.substr(0, end);
        const auto most = next_ == expects::text ? use_.bounds.max_bytes / 3 * 4 + most_record_bytes : most_record_bytes;
        if (rest_.size() + part.size() > most) {
            ++number_;
            auto refused = wrong("is too long: at most " + std::to_string(most) + " bytes are taken there");
            refused.code = errc::too_large;
            return refused;
        }
        rest_ += part;
        if (end == std::string_view::npos)
            return {};
        bytes.remove_prefix(end + 1);
        ++number_;
        const auto text = std::exchange(rest_, {});
        auto read = line(text);
        if (read.has_error())
            return read;
    }
    return {};
}

result<void> thread_file_reader::line(std::string_view text)
{
    const auto count = [&] {
        hash_->add(text);
        hash_->add("\n");
    };
    if (next_ == expects::nothing)
        return wrong("comes behind the end");
    if (next_ == expects::text) {
        count();
        return read_text(text);
    }
    auto canonical = canonical_line(text);
    if (canonical.has_error())
        return wrong(canonical.error().detail);
    if (!json_members(*canonical).is_object())
        return wrong("must be an object");
    if (!canonical->starts_with("{\"end\":"))
        count();
    return next_ == expects::head ? read_head(*canonical) : read_record(*canonical);
}

result<void> thread_file_reader::read_head(std::string_view text)
{
    const json_members head(text);
    if (head.integer("caisson_thread") != thread_file_version)
        return wrong("must be the head of an exported thread, {\"caisson_thread\":1,…}");
    if (const auto what = unknown_member(head, head_members); !what.empty())
        return wrong("has a " + what);
    for (const auto* name : {"max_checkpoints", "ttl_ms"})
        if (head.raw(name) && !head.integer(name))
            return wrong("has a " + std::string(name) + " that is no integer");
    policy_.max_checkpoints = head.integer("max_checkpoints").value_or(policy_.max_checkpoints);
    policy_.ttl_ms = head.integer("ttl_ms");
    if (const auto problems = check_retention(policy_); !problems.empty())
        return wrong("has a " + problems.front().field + " that " + problems.front().message);
    next_ = expects::record;
    return {};
}

result<void> thread_file_reader::read_record(std::string_view text)
{
    const json_members members(text);
    if (const auto checkpoint = members.raw("checkpoint"))
        return read_checkpoint(*checkpoint);
    if (const auto end = members.raw("end"))
        return read_end(*end);
    const auto state = members.raw("state");
    if (!state || !state->starts_with('{'))
        return wrong("must have a \"state\", a \"checkpoint\" or the \"end\"");
    if (unused_states_ > 0)
        return wrong("is a state behind one that no checkpoint has: each comes right before its first checkpoint");
    const json_members said(*state);
    if (const auto what = unknown_member(said, state_members); !what.empty())
        return wrong("has a " + what);
    const auto encoding = said.text("encoding");
    wanted_digest_ = said.text("digest").value_or("");
    wanted_is_json_ = encoding == "json";
    if (wanted_digest_.size() != 64 || (!wanted_is_json_ && encoding != "base64"))
        return wrong("must say the digest and the encoding (json or base64) of the state that follows");
    next_ = expects::text;
    return {};
}

result<void> thread_file_reader::read_text(std::string_view text)
{
    next_ = expects::record;
    std::optional<std::string> bytes;
    if (!wanted_is_json_) {
        const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
        bytes = quoted ? base64_decode(text.substr(1, text.size() - 2)) : std::nullopt;
        if (!bytes)
            return wrong("must be base64 within quotes");
    }
    auto state = settle_state(bytes ? *bytes : text, wanted_is_json_ ? std::string(json_media_type) : "", use_.bounds, use_.make_hasher);
    if (state.has_error())
        return wrong("cannot be taken: " + state.error().detail);
    if (state->info.digest != wanted_digest_)
        return wrong("is not the state whose digest was said before it");
    const auto* base = use_.packer.wants_base(state->text.size()) ? base_ : nullptr;
    auto& known = states_[wanted_digest_];
    known.is_json = known.is_json || wanted_is_json_;
    if (!known.digest.empty())    // the same state was read in the other encoding
        return {};
    ++unused_states_;
    known.size_bytes = state->info.size_bytes;
    known.digest = state->digest;
    known.packed = use_.packer.pack(state->info, state->digest, state->text.view(), base);
    return {};
}

result<void> thread_file_reader::read_checkpoint(std::string_view object)
{
    const json_members said(object);
    if (const auto what = wrong_kind(said); !what.empty())
        return wrong("has a " + what);
    if (++checkpoints_ > most_checkpoints)
        return wrong("is one checkpoint too many: at most " + std::to_string(most_checkpoints) + " are taken");
    checkpoint_draft draft;
    auto& row = draft.row;
    row.tenant = use_.tenant;
    row.pinned = said.flag("pinned");
    auto read = read_names(said, row);
    if (read.has_value())
        read = read_place(said, row);
    if (read.has_error())
        return read;
    const auto node = said.text("node_id");
    if (node && node->empty())
        return wrong("has metadata.node_id that must not be empty");
    auto metadata =
        checked_metadata({said.integer("step"), node.value_or(""), said.texts("tags"), std::string(said.raw("custom").value_or(""))});
    if (metadata.has_error())
        return wrong("has " + metadata.error().fields.front().field + " that " + metadata.error().fields.front().message);
    row.metadata = std::move(*metadata);
    read = read_state_of(said, draft);
    if (read.has_value())
        drafts_.push_back(std::move(draft));
    return read;
}

result<void> thread_file_reader::read_names(const json_members& said, checkpoint_row& row)
{
    const auto id = said.text("id").value_or("");
    if (const auto bad = check_checkpoint_id(id); bad || id == "latest")
        return wrong("has an id that " + (bad ? bad->message : std::string("is an address of its own")));
    if (positions_.contains(id))
        return wrong("has the id of an earlier checkpoint: " + id);
    row.id = checkpoint_id::from_trusted(id);
    if (auto parent = said.text("parent_id")) {
        if (!positions_.contains(*parent))
            return wrong("has a parent_id that names no earlier checkpoint: " + parent->substr(0, max_checkpoint_id_bytes));
        row.parent = checkpoint_id::from_trusted(std::move(*parent));
    }
    if (auto of = said.text("rollback_of"); of && !check_checkpoint_id(*of))
        row.rollback_of = checkpoint_id::from_trusted(std::move(*of));
    return {};
}

result<void> thread_file_reader::read_place(const json_members& said, checkpoint_row& row)
{
    row.position = said.integer("position").value_or(0);
    row.gap = said.integer("gap").value_or(-1);
    if (row.position <= last_position_ || row.position > most_position)
        return wrong("must have a position above the one before, at most " + std::to_string(most_position));
    const auto parent = row.parent ? positions_.at(row.parent->str()) : 0;
    if (row.gap < 0 || row.gap >= row.position - parent)
        return wrong("must have a gap that is not negative, and of no more checkpoints than lay between it and its parent");
    last_position_ = row.position;
    positions_.emplace(row.id.str(), row.position);
    const auto time_ms = from_rfc3339(said.text("created_at").value_or(""));
    if (!time_ms || *time_ms < last_time_ms_ || *time_ms > use_.now_ms + most_ahead_ms)
        return wrong(
            "must have a created_at from 1970 on that is neither before the one of the checkpoint before nor more than a day ahead");
    row.created_at_ms = last_time_ms_ = *time_ms;
    return {};
}

result<void> thread_file_reader::read_state_of(const json_members& said, checkpoint_draft& draft)
{
    const auto known = states_.find(said.text("digest").value_or(""));
    if (known == states_.end())
        return wrong("has the digest of a state that does not precede it");
    auto& state = known->second;
    auto type = said.text("media_type").value_or(std::string(json_media_type));
    if (!is_media_type(type) || is_json_type(type) != (type == json_media_type) || (type == json_media_type && !state.is_json))
        return wrong("has a media_type that its state cannot have");
    auto request = base64_decode(said.text("request").value_or(""));
    if (!request || (!request->empty() && request->size() != digest_bytes))
        return wrong("has a request that is no digest in base64");
    draft.request.digest = std::move(*request);
    draft.row.state = {known->first, state.size_bytes, std::move(type)};
    unused_states_ -= state.used ? 0 : 1;
    draft.state = std::exchange(state.used, true) ? packed_state{} : std::move(state.packed);
    draft.state.info = draft.row.state;
    draft.state.digest = state.digest;
    return {};
}

result<void> thread_file_reader::read_end(std::string_view object)
{
    const json_members said(object);
    if (const auto what = unknown_member(said, end_members); !what.empty())
        return wrong("has a " + what);
    if (unused_states_ > 0)
        return wrong("follows a state that no checkpoint has");
    if (said.integer("checkpoints") != checkpoints_)
        return wrong("says another number of checkpoints than there are: " + std::to_string(checkpoints_));
    if (said.text("sha256") != to_hex(hash_->finish()))
        return wrong("says another SHA-256 than the file has: it was changed or damaged");
    next_ = expects::nothing;
    return {};
}

result<void> thread_file_reader::finish()
{
    if (!rest_.empty()) {
        auto last = feed("\n", base_);
        if (last.has_error())
            return last;
    }
    if (next_ == expects::nothing)
        return {};
    ++number_;
    return wrong("is missing: the file ends before its \"end\"");
}

}    // namespace caisson
