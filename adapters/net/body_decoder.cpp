#include "adapters/net/body_decoder.hpp"

#include "adapters/net/percent.hpp"

#include <algorithm>

namespace caisson::net {

namespace {

constexpr std::size_t max_size_digits = 15;    // fits 64 bits with room to add
constexpr std::size_t max_extension_bytes = 1024;
constexpr std::size_t max_trailer_bytes = 8 * 1024;

bool is_control(char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 127; }

}    // namespace

body_decoder::body_decoder(framing how, std::uint64_t content_length, std::uint64_t limit_bytes)
    : limit_(limit_bytes), limit_bytes_(limit_bytes)
{
    switch (how) {
    case framing::none: return;
    case framing::chunked: state_ = state::size; return;
    case framing::until_close: state_ = state::until_close; return;
    case framing::length:
        left_ = content_length;
        state_ = left_ == 0 ? state::done : state::length;
        if (left_ > limit_)
            refuse(413, "the body is larger than " + std::to_string(limit_bytes_) + " bytes");
        return;
    }
}

std::uint64_t body_decoder::most_left() const
{
    switch (state_) {
    case state::length: return left_;
    case state::data: return left_ + limit_;
    case state::trailer:
    case state::trailer_lf:
    case state::done: return 0;
    default: return limit_;    // `left_` is a partly read chunk size
    }
}

std::size_t body_decoder::feed(std::string_view in, std::string& out)
{
    std::size_t at = 0;
    while (at < in.size() && !refused_ && !done()) {
        if (state_ == state::data || state_ == state::length || state_ == state::until_close)
            at += take_content(in.substr(at), out);
        else
            take_framing(in[at++]);
    }
    return at;
}

std::size_t body_decoder::take_content(std::string_view in, std::string& out)
{
    if (state_ == state::until_close) {
        if (in.size() > limit_) {
            refuse(413, "the body is larger than " + std::to_string(limit_bytes_) + " bytes");
            return 0;
        }
        limit_ -= in.size();
        out += in;
        return in.size();
    }
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(in.size(), left_));
    out += in.substr(0, taken);
    left_ -= taken;
    if (left_ == 0)
        state_ = state_ == state::length ? state::done : state::data_cr;
    return taken;
}

void body_decoder::take_framing(char c)
{
    switch (state_) {
    case state::size: return take_size(c);
    case state::extension:
        if (c == '\r')
            state_ = state::size_lf;
        else if (is_control(c))
            refuse(400, "a chunk extension holds a control character");
        else if (++overhead_ > max_extension_bytes)
            refuse(400, "a chunk extension is longer than " + std::to_string(max_extension_bytes) + " bytes");
        return;
    case state::size_lf: return c == '\n' ? begin_chunk() : refuse(400, "a chunk size line does not end in CRLF");
    case state::data_cr: state_ = state::data_lf; return c == '\r' ? void() : refuse(400, "a chunk is longer than its size says");
    case state::data_lf:
        state_ = state::size;
        digits_ = 0;
        return c == '\n' ? void() : refuse(400, "a chunk is longer than its size says");
    case state::trailer:
    case state::trailer_lf: return take_trailer(c);
    default: return;
    }
}

void body_decoder::take_size(char c)
{
    const int value = hex_value(c);
    if (value >= 0) {
        if (++digits_ > max_size_digits)
            return refuse(400, "a chunk size has more than " + std::to_string(max_size_digits) + " digits");
        left_ = left_ * 16 + static_cast<std::uint64_t>(value);
        return;
    }
    if (digits_ == 0 || (c != '\r' && c != ';'))
        return refuse(400, "a chunk size is not a hexadecimal number");
    overhead_ = 0;
    state_ = c == '\r' ? state::size_lf : state::extension;
}

void body_decoder::begin_chunk()
{
    overhead_ = line_bytes_ = 0;
    if (left_ > limit_)
        return refuse(413, "the body is larger than " + std::to_string(limit_bytes_) + " bytes");
    limit_ -= left_;
    state_ = left_ == 0 ? state::trailer : state::data;
}

void body_decoder::take_trailer(char c)
{
    if (++overhead_ > max_trailer_bytes)
        return refuse(400, "the trailers are larger than " + std::to_string(max_trailer_bytes) + " bytes");
    if (state_ == state::trailer_lf) {
        if (c != '\n')
            return refuse(400, "a trailer line does not end in CRLF");
        state_ = line_bytes_ == 0 ? state::done : state::trailer;
        line_bytes_ = 0;
    } else if (c == '\r') {
        state_ = state::trailer_lf;
    } else if (is_control(c)) {
        refuse(400, "a trailer holds a control character");
    } else {
        ++line_bytes_;
    }
}

bool body_decoder::end_of_input()
{
    if (state_ == state::until_close)
        state_ = state::done;
    return done();
}

void body_decoder::refuse(int status, std::string message)
{
    refused_ = refusal{status, status == 413 ? errc::too_large : errc::bad_request, std::move(message)};
}

}    // namespace caisson::net
