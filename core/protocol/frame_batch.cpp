#include "core/protocol/frame_batch.hpp"

#include "core/protocol/frame.hpp"

#include <utility>

#include <cerrno>
#include <fcntl.h>

namespace caisson::protocol {

shared_descriptors duplicates_of(const std::vector<int>& fds)
{
    auto copies = std::make_shared<std::vector<unique_fd>>();
    errno = E2BIG;
    if (fds.size() > max_spawn_descriptors)
        return nullptr;
    for (const int fd : fds) {
        unique_fd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
        if (!copy)
            return nullptr;
        copies->push_back(std::move(copy));
    }
    return copies;
}

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
