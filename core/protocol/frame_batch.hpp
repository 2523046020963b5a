#pragma once

#include "core/base/shared_bytes.hpp"
#include "core/base/unique_fd.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caisson::protocol {

/// Descriptors with shared ownership.
using shared_descriptors = std::shared_ptr<const std::vector<unique_fd>>;

/// Duplicates all of `fds`, since a program must not start outside its groups. Null, with errno set, if one cannot be duplicated or
/// there are more than max_spawn_descriptors.
shared_descriptors duplicates_of(const std::vector<int>& fds);

/// Frames for one write. Concatenates small frames; references large data without a copy.
class frame_batch {
public:
    /// Append whole frames here, or the front of a frame that finish_frame() completes.
    std::string& text() { return text_; }
    void finish_frame(shared_bytes bytes);
    /// Sets the descriptors for the batch's first byte. Call only while the batch is empty.
    void set_descriptors(shared_descriptors fds);

    bool empty() const { return pieces_.empty() && text_.empty(); }
    std::size_t size() const { return size_ + text_.size(); }
    /// Valid as long as the batch. Nothing may be added afterwards.
    std::span<const std::string_view> parts();
    std::span<const int> descriptors() const { return descriptor_numbers_; }

private:
    void close_text();

    std::string text_;
    std::vector<shared_bytes> pieces_;
    std::size_t size_ = 0;
    std::vector<std::string_view> parts_;
    shared_descriptors descriptors_;
    std::vector<int> descriptor_numbers_;
};

}    // namespace caisson::protocol
