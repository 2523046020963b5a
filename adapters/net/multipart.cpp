#include "adapters/net/multipart.hpp"

#include "adapters/net/http_types.hpp"
#include "adapters/net/parameters.hpp"

#include <algorithm>

namespace caisson::net {

namespace {

constexpr std::size_t max_boundary_bytes = 70;

bool is_boundary_char(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("'()+_,-./:=? ").find(c) != std::string_view::npos;
}

bool is_boundary(std::string_view text)
{
    return !text.empty() && text.size() <= max_boundary_bytes && !text.ends_with(' ') && std::ranges::all_of(text, is_boundary_char);
}

}    // namespace

error bad_multipart(std::string_view why) { return {errc::bad_request, "the multipart body is malformed: " + std::string(why)}; }

result<multipart_parser> multipart_parser::make(std::string_view content_type, multipart_limits limits)
{
    auto parsed = parse_parameters(content_type);
    const auto type = content_type.substr(0, content_type.find_first_of("; \t"));
    if (!equal_no_case(type, "multipart/form-data"))
        return error{errc::unsupported_media_type, "the body must be multipart/form-data"};
    const auto* const boundary = parsed ? parsed->find("boundary") : nullptr;
    if (!boundary || !is_boundary(*boundary))
        return error{errc::bad_request, "Content-Type must be multipart/form-data with a boundary of 1 to 70 characters"};
    return multipart_parser(*boundary, limits);
}

multipart_parser::multipart_parser(std::string boundary, multipart_limits limits)
    : limits_(limits), delimiter_("\r\n--" + std::move(boundary)), matched_(2)
{
}

result<std::vector<part_event>> multipart_parser::feed(std::string_view bytes)
{
    std::vector<part_event> out;
    while (!bytes.empty()) {
        auto taken = step(bytes, out);
        if (taken.has_error())
            return taken.error();
        bytes.remove_prefix(*taken);
    }
    return out;
}

result<void> multipart_parser::finish() const
{
    if (state_ != state::epilogue)
        return bad_multipart("it ends before its closing boundary");
    return {};
}

result<std::size_t> multipart_parser::step(std::string_view bytes, std::vector<part_event>& out)
{
    switch (state_) {
    case state::start: return take_start(bytes);
    case state::head: return take_head(bytes, out);
    case state::data: return take_data(bytes, out);
    case state::epilogue: return bytes.size();
    case state::after_delimiter:
    case state::closing:
    case state::line_feed: break;
    }
    auto taken = take_line_end(bytes.front());
    if (taken.has_error())
        return taken.error();
    return std::size_t{1};
}

/// Matches the first boundary as if a line end preceded it. Skips empty lines before it.
result<std::size_t> multipart_parser::take_start(std::string_view bytes)
{
    const char c = bytes.front();
    if (matched_ == 2 && c == '\r')
        matched_ = 1;
    else if (c == delimiter_[matched_])
        ++matched_;
    else
        return bad_multipart("it does not begin with the boundary of its Content-Type");
    if (matched_ == delimiter_.size()) {
        matched_ = 0;
        state_ = state::after_delimiter;
    }
    return std::size_t{1};
}

result<void> multipart_parser::take_line_end(char c)
{
    if (state_ == state::after_delimiter && (c == '\r' || c == '-')) {
        state_ = c == '\r' ? state::line_feed : state::closing;
        return {};
    }
    if (state_ == state::closing && c == '-') {
        state_ = state::epilogue;
        return {};
    }
    if (state_ != state::line_feed || c != '\n')
        return bad_multipart("a boundary is followed by something else than a line end");
    if (++parts_ > limits_.max_parts)
        return error{errc::too_large, "the multipart body has more than " + std::to_string(limits_.max_parts) + " parts"};
    head_.clear();
    state_ = state::head;
    return {};
}

result<std::size_t> multipart_parser::take_head(std::string_view bytes, std::vector<part_event>& out)
{
    constexpr std::string_view end = "\r\n\r\n";
    const auto before = head_.size();
    const auto looked = before < end.size() ? 0 : before - (end.size() - 1);
    head_ += bytes.substr(0, limits_.max_header_bytes + end.size() - before);
    const auto found = head_.starts_with("\r\n") ? 0 : head_.find(end, looked);
    if (found != std::string::npos)
        head_.resize(found == 0 ? 2 : found + end.size());
    if (head_.size() > limits_.max_header_bytes)
        return error{errc::too_large, "the header fields of a part are larger than " + std::to_string(limits_.max_header_bytes) + " bytes"};
    if (found == std::string::npos)
        return head_.size() - before;
    const auto taken = head_.size() - before;
    auto begun = begin_part(out);
    if (begun.has_error())
        return begun.error();
    return taken;
}

result<void> multipart_parser::begin_part(std::vector<part_event>& out)
{
    auto head = parse_part_head(head_, limits_);
    if (head.has_error())
        return head.error();
    out.push_back({part_event::kind::begin, std::move(*head), {}});
    state_ = state::data;
    matched_ = 0;
    return {};
}

/// The delimiter has only one CR, its first byte: so only the last CR in `bytes` can begin a delimiter that continues later.
std::size_t multipart_parser::take_data(std::string_view bytes, std::vector<part_event>& out)
{
    const auto give = [&out](std::string_view data) {
        if (!data.empty())
            out.push_back({part_event::kind::data, {}, data});
    };
    const std::string_view delimiter = delimiter_;
    std::size_t at = 0;
    if (matched_ == 0) {
        const auto found = bytes.find(delimiter);
        const auto last = found == std::string_view::npos ? bytes.rfind('\r') : found;
        at = last != std::string_view::npos && delimiter.starts_with(bytes.substr(last, delimiter.size())) ? last : bytes.size();
        give(bytes.substr(0, at));
    }
    while (at < bytes.size() && matched_ < delimiter.size() && bytes[at] == delimiter[matched_]) {
        ++at;
        ++matched_;
    }
    if (matched_ == delimiter.size()) {
        out.push_back({part_event::kind::end, {}, {}});
        state_ = state::after_delimiter;
        matched_ = 0;
    } else if (at < bytes.size()) {
        give(delimiter.substr(0, matched_));
        matched_ = 0;
    }
    return at;
}

}    // namespace caisson::net
