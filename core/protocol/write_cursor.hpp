#pragma once

#include <array>
#include <span>
#include <string_view>

#include <sys/uio.h>

namespace caisson::protocol {

/// Tracks the progress of writing several strings in multiple writev(2) or sendmsg(2) calls.
class write_cursor {
public:
    explicit write_cursor(std::span<const std::string_view> parts) : parts_(parts) { skip_empty(); }

    bool done() const { return parts_.empty(); }
    /// Buffers for the next call, at most 64; valid until the next pieces().
    std::span<iovec> pieces();
    void advance(std::size_t written);

private:
    void skip_empty();

    std::span<const std::string_view> parts_;
    std::size_t first_done_ = 0;    // bytes written of the first part
    std::array<iovec, 64> pieces_;
};

}    // namespace caisson::protocol
