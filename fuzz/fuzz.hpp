#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

/// What the targets share. A target looks for more than crashes: it states what must hold of every input.
namespace caisson::fuzz {

[[noreturn]] inline void broken(const char* what, const char* file, int line)
{
    std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    std::abort();
}

/// Ends the run, with the input kept, unless `condition` holds.
#define FUZZ_CHECK(condition) ((condition) ? static_cast<void>(0) : ::caisson::fuzz::broken(#condition, __FILE__, __LINE__))

/// One input: a few bytes that steer the target, then the text.
class input {
public:
    input(const std::uint8_t* data, std::size_t size) : rest_(static_cast<const char*>(static_cast<const void*>(data)), size) { }

    /// 0 when nothing is left.
    std::uint8_t byte()
    {
        const auto value = rest_.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(rest_.front());
        rest_.remove_prefix(rest_.empty() ? 0 : 1);
        return value;
    }
    std::uint64_t number(int bytes)
    {
        std::uint64_t value = 0;
        for (int i = 0; i < bytes; ++i)
            value = value << 8 | byte();
        return value;
    }
    std::string_view take(std::size_t count)
    {
        const auto taken = rest_.substr(0, count);
        rest_.remove_prefix(taken.size());
        return taken;
    }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

/// Cuts `text` into at most `most` pieces, by `seed` always the same ones, and calls `take` with each until it gives false.
template <class Take>
void in_pieces(std::string_view text, std::uint8_t seed, std::size_t most, Take take)
{
    const auto least = text.size() / most + 1;
    std::uint32_t state = seed;
    while (!text.empty()) {
        state = state * 1'664'525 + 1'013'904'223;
        const auto piece = text.substr(0, least + (state >> 16) % (seed % 32 + 1U));
        text.remove_prefix(piece.size());
        if (!take(piece))
            return;
    }
}

}    // namespace caisson::fuzz
