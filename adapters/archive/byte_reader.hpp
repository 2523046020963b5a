#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace caisson {

/// Reads consecutive little-endian numbers. Past the end numbers are 0 and failed() is true.
class byte_reader {
public:
    explicit byte_reader(std::string_view bytes) : bytes_(bytes) { }

    std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    std::uint64_t u64() { return number(8); }
    std::string_view take(std::size_t count)
    {
        if (count > bytes_.size()) {
            failed_ = true;
            bytes_ = {};
            return {};
        }
        const auto taken = bytes_.substr(0, count);
        bytes_.remove_prefix(count);
        return taken;
    }

    bool failed() const { return failed_; }
    bool empty() const { return bytes_.empty(); }

private:
    std::uint64_t number(std::size_t count)
    {
        std::uint64_t value = 0;
        const auto taken = take(count);
        for (std::size_t i = taken.size(); i-- > 0;)
            value = value << 8 | static_cast<unsigned char>(taken[i]);
        return value;
    }

    std::string_view bytes_;
    bool failed_ = false;
};

}    // namespace caisson
