#include "app/cli/frame_reader.hpp"

#include "app/cli/exit_status.hpp"
#include "app/cli/quantities.hpp"
#include "core/base/base64.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace caisson::cli {

namespace {

error bad_frame(std::string detail)
{
    return error{errc::bad_request, "the server sent a frame that cannot be read: " + std::move(detail)};
}

std::uint64_t counter_of(const boost::json::object& frame, std::string_view name)
{
    const auto* value = frame.if_contains(name);
    if (value == nullptr)
        return 0;
    boost::system::error_code failure;
    const auto number = value->to_number<std::uint64_t>(failure);
    return failure ? 0 : number;
}

std::optional<std::string> bytes_of(const boost::json::object& frame)
{
    auto data = text_of(frame, "data");
    const auto encoding = text_of(frame, "encoding");
    if (encoding == "base64")
        return base64_decode(data);
    if (!encoding.empty() && encoding != "utf-8" && encoding != "text")
        return std::nullopt;
    return data;
}

/// JSON nesting of a frame: an exit event holds a skill's output, which is at most 256 deep.
constexpr std::size_t deepest_frame = 300;

/// A note for a state event that announces the next attempt; else empty.
std::string note_of_attempt(const boost::json::object& frame)
{
    if (!frame.contains("attempt") || !frame.contains("delay_ms"))
        return {};
    const auto cause = text_of(frame, "cause");
    return "attempt " + std::to_string(counter_of(frame, "attempt")) + " follows in " +
           show_duration(static_cast<std::int64_t>(counter_of(frame, "delay_ms"))) + (cause.empty() ? "" : ": " + cause);
}

}    // namespace

result<frame_effects> frame_reader::take(std::string_view text)
{
    connection_error_.clear();
    boost::system::error_code failure;
    boost::json::parse_options options;
    options.max_depth = deepest_frame;
    const auto value = boost::json::parse(text, failure, {}, options);
    if (failure || !value.is_object())
        return bad_frame("it is not a JSON object");
    const auto& frame = value.get_object();
    const auto kind = text_of(frame, "kind");
    frame_effects effects;
    if (kind == "error") {
        connection_error_ = text_of(frame, "message");
        return effects;
    }
    if (kind == "output") {
        auto output = take_output(frame);
        if (output.has_error())
            return output;
        effects = std::move(*output);
    } else if (kind == "truncated") {
        effects = take_cut(frame);
    } else if (kind == "exit") {
        end_ = frame;
    } else if (kind == "state") {
        effects.started = text_of(frame, "status") == "running";
        effects.waits = text_of(frame, "status") == "queued";
        effects.note = note_of_attempt(frame);
    }
    if (auto cursor = text_of(frame, "cursor"); !cursor.empty())
        cursor_ = std::move(cursor);
    return effects;
}

result<frame_effects> frame_reader::take_output(const boost::json::object& frame)
{
    auto bytes = bytes_of(frame);
    if (!bytes)
        return bad_frame("its data has an unknown encoding");
    const auto stream = text_of(frame, "stream");
    const auto offset = counter_of(frame, "offset");
    auto& had = ends_[stream];
    frame_effects effects;
    if (offset > had)
        effects.note = std::to_string(offset - had) + " bytes of " + stream + " are missing here";
    const auto end = offset + bytes->size();
    if (end <= had)
        return effects;
    if (offset < had)
        bytes->erase(0, had - offset);
    had = end;
    if (!bytes->empty())
        effects.output.push_back({stream, std::move(*bytes)});
    return effects;
}

frame_effects frame_reader::take_cut(const boost::json::object& frame)
{
    const auto stream = text_of(frame, "stream");
    const auto begin = counter_of(frame, "offset");
    const auto end = begin + counter_of(frame, "missing_bytes");
    auto& had = ends_[stream];
    frame_effects effects;
    if (end <= had)
        return effects;
    const auto missing = end - std::max(had, begin);    // part of it may have been shown before the cut
    had = end;
    effects.note = show_bytes(static_cast<std::int64_t>(missing)) + " of " + stream + " were cut here, at the output limit";
    return effects;
}

}    // namespace caisson::cli
