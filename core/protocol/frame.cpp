#include "core/protocol/frame.hpp"

#include <algorithm>

namespace caisson::protocol {

namespace {

constexpr std::string_view half_marker = open_marker.substr(0, 8);

}    // namespace

std::size_t chunk_length(std::string_view bytes, std::size_t max)
{
    const auto part = bytes.substr(0, max);
    const auto found = part.find(half_marker);
    return found == std::string_view::npos ? part.size() : found + half_marker.size() / 2;
}

bool fits_frame(std::string_view text, std::size_t max) { return text.size() <= max && text.find(half_marker) == std::string_view::npos; }

void append_number(std::string& out, std::uint64_t value, int width)
{
    for (int i = 0; i < width; ++i)
        out.push_back(static_cast<char>(value >> (8 * i)));
}

void append_text(std::string& out, std::string_view text)
{
    append_number(out, text.size(), 4);
    out.append(text);
}

frame_writer::frame_writer(std::string& out, frame_type type, exec_number exec) : out_(out), start_(out.size())
{
    u32(0).u8(static_cast<std::uint8_t>(type)).u64(exec);
}

frame_writer& frame_writer::text(std::string_view value)
{
    append_text(out_, value);
    return *this;
}

frame_writer& frame_writer::bytes(std::string_view value)
{
    out_.append(value);
    return *this;
}

void frame_writer::finish()
{
    finish_front(0);
    out_.push_back(frame_end);
}

void frame_writer::finish_front(std::size_t following)
{
    const auto length = out_.size() - start_ - 4 + following + 1;
    for (std::size_t i = 0; i < 4; ++i)
        out_[start_ + i] = static_cast<char>(length >> (8 * i));
}

frame_writer& frame_writer::number(std::uint64_t value, int width)
{
    append_number(out_, value, width);
    return *this;
}

std::uint64_t field_reader::number(int width)
{
    if (!ok_ || rest_.size() < static_cast<std::size_t>(width)) {
        ok_ = false;
        return 0;
    }
    std::uint64_t value = 0;
    for (int i = 0; i < width; ++i)
        value |= std::uint64_t{static_cast<unsigned char>(rest_[static_cast<std::size_t>(i)])} << (8 * i);
    rest_.remove_prefix(static_cast<std::size_t>(width));
    return value;
}

std::string_view field_reader::text(std::size_t max)
{
    const std::size_t size = u32();
    if (!ok_ || size > max || size > rest_.size()) {
        ok_ = false;
        return {};
    }
    const auto value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return value;
}

std::string_view field_reader::rest(std::size_t max)
{
    if (!ok_ || rest_.size() > max) {
        ok_ = false;
        return {};
    }
    const auto value = rest_;
    rest_ = {};
    return value;
}

}    // namespace caisson::protocol
