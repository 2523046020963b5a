#include "app/wire/event_frame.hpp"

#include "app/wire/error_view.hpp"
#include "app/wire/json_writer.hpp"
#include "core/base/base64.hpp"
#include "core/base/clock.hpp"
#include "core/base/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

namespace caisson::wire {

namespace json = boost::json;

namespace {

std::string_view kind_name(event_kind kind)
{
    switch (kind) {
    case event_kind::state: return "state";
    case event_kind::output: return "output";
    case event_kind::truncated: return "truncated";
    case event_kind::usage: return "usage";
    case event_kind::exit: return "exit";
    }
    return "state";
}

std::string_view stream_name(output_stream stream, bool pty)
{
    if (pty)
        return "pty";
    return stream == output_stream::stdout_stream ? "stdout" : "stderr";
}

void write_place(json_writer& out, const log_event& event, bool pty)
{
    out.key("stream").text(stream_name(event.stream, pty)).key("offset").unsigned_integer(event.offset);
}

void write_data(json_writer& out, std::string_view bytes)
{
    if (is_utf8(bytes)) {
        out.key("data").text(bytes);
        return;
    }
    out.key("data").text(base64_encode(bytes)).key("encoding").text("base64");
}

/// Writes the fields of the event's kind from its stored body. The body has an output as JSON text.
void write_body(json_writer& out, const std::string& body)
{
    if (body.empty())
        return;
    const auto value = json::parse(body);
    for (const auto& [name, field] : value.as_object()) {
        if (name == "output")
            out.key(name).raw(field.as_string());
        else
            out.key(name).value(field);
    }
}

}    // namespace

void append_event_frame(std::string& text, const log_event& event, const frame_source& source)
{
    constexpr std::size_t envelope_bytes = 320;
    text.reserve(text.size() + envelope_bytes + event.data.size() + event.data.size() / 16 + event.body.size());
    text += '{';    // not begin_object(): `text` may have a prefix that is not JSON
    json_writer out(text);
    out.key("kind").text(kind_name(event.kind)).key("execution_id").text(source.execution_id);
    if (!source.ref.empty())
        out.key("ref").text(source.ref);
    if (source.ref_no)
        out.key("ref_no").integer(*source.ref_no);
    out.key("seq").unsigned_integer(event.end.seq()).key("cursor").text(to_cursor(event.end)).key("at").text(to_rfc3339(event.at_ms));
    if (event.kind == event_kind::output || event.kind == event_kind::truncated)
        write_place(out, event, source.pty);
    if (event.kind == event_kind::output)
        write_data(out, event.data.view());
    else if (event.kind == event_kind::truncated)
        out.key("missing_bytes").unsigned_integer(event.missing_bytes);
    else
        write_body(out, event.body);
    out.end_object();
}

std::string event_frame_json(const log_event& event, const frame_source& source)
{
    std::string text;
    append_event_frame(text, event, source);
    return text;
}

std::array<std::uint8_t, binary_header_bytes> binary_header(const log_event& event, bool pty, std::uint32_t ref_no)
{
    constexpr std::uint8_t pty_stream = 3;
    std::array<std::uint8_t, binary_header_bytes> out{};
    out[0] = pty ? pty_stream : static_cast<std::uint8_t>(event.stream);
    for (unsigned i = 0; i < 4; ++i)
        out[1 + i] = static_cast<std::uint8_t>(ref_no >> (24 - 8 * i));
    for (unsigned i = 0; i < 8; ++i)
        out[5 + i] = static_cast<std::uint8_t>(event.offset >> (56 - 8 * i));
    return out;
}

std::string error_frame_json(const error& what, std::string_view ref, std::string_view execution_id)
{
    std::string text;
    json_writer out(text);
    out.begin_object().key("kind").text("error");
    if (!execution_id.empty())
        out.key("execution_id").text(execution_id);
    if (!ref.empty())
        out.key("ref").text(ref);
    out.key("error").text(slug(what.code)).key("message").text(to_valid_utf8(what.detail));
    write_error_details(out, what);
    out.end_object();
    return text;
}

std::string sse_event(const log_event& event, const frame_source& source)
{
    std::string text = "id: " + to_cursor(event.end) + "\ndata: ";
    append_event_frame(text, event, source);
    text += "\n\n";
    return text;
}

}    // namespace caisson::wire
