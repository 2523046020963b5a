#include "core/protocol/frame_batch.hpp"

#include "core/protocol/frame.hpp"

#include <utility>

namespace caisson::protocol {

void frame_batch::close_text()
{
    if (text_.empty())
        return;
    size_ += text_.size();
    pieces_.emplace_back(std::exchange(text_, {}));
}

void frame_batch::finish_frame(shared_bytes bytes)
{
    if (!bytes.empty()) {
        close_text();
        size_ += bytes.size();
        pieces_.push_back(std::move(bytes));
    }
    text_.push_back(frame_end);
}

void frame_batch::set_descriptors(shared_descriptors fds)
{
    descriptors_ = std::move(fds);
    for (const auto& each : *descriptors_)
        descriptor_numbers_.push_back(each.get());
}

std::span<const std::string_view> frame_batch::parts()
{
    close_text();
    parts_.clear();
    for (const auto& each : pieces_)
        parts_.push_back(each.view());
    return parts_;
}

}    // namespace caisson::protocol
