#pragma once

#include <array>
#include <span>
#include <string_view>

#include <sys/uio.h>

namespace caisson::protocol {

/// Walks through texts that are written in as many calls as it takes.
class write_cursor {
public:
    explicit write_cursor(std::span<const std::string_view> parts) : parts_(parts) { skip_empty(); }

    bool done() const { return parts_.empty(); }
    /// What the next call should write, as far as it fits one; valid until it is called again.
    std::span<iovec> pieces();
    void advance(std::size_t written);

private:
    void skip_empty();

    std::span<const std::string_view> parts_;
    std::size_t first_done_ = 0;    // bytes of the first part
    std::array<iovec, 64> pieces_;
};

}    // namespace caisson::protocol
