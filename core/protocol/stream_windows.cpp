#include "core/protocol/stream_windows.hpp"

#include <algorithm>

namespace caisson::protocol {

namespace {

/// New room for stdin is announced to the server in steps of this size.
constexpr std::uint64_t limit_step = stream_window_bytes / 8;

}    // namespace

void output_window::acknowledge(std::uint64_t offset)
{
    offset = std::min(offset, cursor_);
    if (offset <= base_)
        return;
    ring_.pop(offset - base_);
    base_ = offset;
}

void output_window::resume(std::uint64_t committed)
{
    cursor_ = end_offset();
    acknowledge(committed);
    cursor_ = base_;
    eof_sent_ = false;
}

void output_window::discard()
{
    base_ = cursor_ = end_offset();
    ring_.clear();
    ring_.rest();
    ended_ = true;
}

void input_window::receive(std::uint64_t offset, std::string_view bytes)
{
    if (offset > taken_ || taken_ - offset >= bytes.size())
        return;
    bytes.remove_prefix(taken_ - offset);
    if (end_)
        bytes = bytes.substr(0, *end_ > taken_ ? *end_ - taken_ : 0);
    taken_ += gone_ ? bytes.size() : ring_.append(bytes);
}

void input_window::receive_end(std::uint64_t end)
{
    if (!end_)
        end_ = std::max(end, taken_);
}

void input_window::reader_gone()
{
    gone_ = true;
    ring_.clear();
    ring_.rest();
}

bool input_window::ack_due() const { return taken_ != taken_told_ || limit() >= limit_told_ + limit_step; }

void input_window::ack_sent()
{
    taken_told_ = taken_;
    limit_told_ = limit();
}

}    // namespace caisson::protocol
