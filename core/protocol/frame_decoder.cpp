#include "core/protocol/frame_decoder.hpp"

#include <algorithm>
#include <cstring>

namespace caisson::protocol {

std::span<char> frame_decoder::prepare()
{
    const auto held = end_ - begin_;
    const auto target = std::max({read_bytes_, wanted_, held + 1});
    if (!buffer_ || capacity_ < target || (held == 0 && capacity_ > target)) {
        reserve(target);
    } else if (begin_ > 0) {
        std::memmove(buffer_.get(), buffer_.get() + begin_, held);
    }
    searched_ = std::max(searched_, begin_) - begin_;
    if (marker_at_)
        *marker_at_ -= begin_;
    begin_ = 0;
    end_ = held;
    return {buffer_.get() + end_, capacity_ - end_};
}

void frame_decoder::reserve(std::size_t bytes)
{
    std::unique_ptr<char[]> larger(new char[bytes]);
    if (end_ > begin_)
        std::memcpy(larger.get(), buffer_.get() + begin_, end_ - begin_);
    buffer_ = std::move(larger);
    capacity_ = bytes;
}

decode_status frame_decoder::next(frame_view& out)
{
    find_marker();
    wanted_ = 0;
    if (!synchronised_ && !marker_at_) {
        begin_ = std::max(begin_, searched_);
        return decode_status::need_more;
    }
    if (!synchronised_ || marker_at_ == begin_)
        return open();
    const auto available = end_ - begin_;
    field_reader head({buffer_.get() + begin_, available});
    const std::size_t length = head.u32();
    const bool cut_by_marker = marker_at_ && *marker_at_ < begin_ + 4;
    if (cut_by_marker)
        return open();
    if (!head.ok())
        return decode_status::need_more;
    if (length < frame_head_bytes - 3 || length > max_frame_bytes)    // an incomplete marker may have cut the frame
        return available < 4 + open_marker.size() ? decode_status::need_more : broken();
    const auto whole = 4 + length;
    if (marker_at_ && begin_ + whole > *marker_at_)
        return open();
    if (available < whole) {
        wanted_ = whole;
        return decode_status::need_more;
    }
    if (buffer_[begin_ + whole - 1] != frame_end)
        return broken();
    out.type = static_cast<frame_type>(head.u8());
    out.exec = head.u64();
    out.body = {buffer_.get() + begin_ + frame_head_bytes, whole - frame_head_bytes - 1};
    begin_ += whole;
    return decode_status::frame;
}

/// Searches for a marker. The last bytes searched are searched again: they may hold all of a marker but its last byte.
void frame_decoder::find_marker()
{
    if (marker_at_ || (synchronised_ && where_ == markers::at_start))
        return;
    searched_ = std::max(searched_, begin_);
    const std::string_view all(buffer_.get(), end_);
    const auto found = all.find(open_marker, searched_);
    if (found != std::string_view::npos)
        marker_at_ = found;
    else if (end_ - searched_ >= open_marker.size())
        searched_ = end_ - (open_marker.size() - 1);
}

decode_status frame_decoder::open()
{
    begin_ = *marker_at_ + open_marker.size();
    searched_ = begin_;
    marker_at_.reset();
    synchronised_ = true;
    return decode_status::opened;
}

decode_status frame_decoder::broken()
{
    resync();
    return decode_status::broken;
}

void frame_decoder::resync()
{
    synchronised_ = false;
    if (!marker_at_)
        searched_ = begin_;
}

}    // namespace caisson::protocol
