#include "adapters/net/sse.hpp"

namespace caisson::net {

namespace {

constexpr std::string_view line_ends("\r\n\0", 3);

void append_one_line(std::string& out, std::string_view name, std::string_view value)
{
    out += name;
    for (const char c : value) {
        if (line_ends.find(c) == std::string_view::npos)
            out += c;
    }
    out += '\n';
}

/// Appends `name` and the line for each line of `text`; an empty `text` is one empty line.
void append_lines(std::string& out, std::string_view name, std::string_view text)
{
    while (true) {
        const auto end = text.find_first_of("\r\n");
        out += name;
        out += text.substr(0, end);
        out += '\n';
        if (end == std::string_view::npos)
            return;
        text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
    }
}

}    // namespace

std::string sse_event(std::string_view id, std::string_view data, std::string_view event)
{
    std::string out;
    out.reserve(id.size() + event.size() + data.size() + 32);
    if (!id.empty())
        append_one_line(out, "id: ", id);
    if (!event.empty())
        append_one_line(out, "event: ", event);
    append_lines(out, "data: ", data);
    out += '\n';
    return out;
}

std::string sse_comment(std::string_view text)
{
    std::string out;
    append_lines(out, ": ", text);
    out += '\n';
    return out;
}

std::string sse_retry(std::chrono::milliseconds wait) { return "retry: " + std::to_string(wait.count()) + "\n\n"; }

}    // namespace caisson::net
