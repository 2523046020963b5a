#include "core/base/random.hpp"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

namespace caisson {

void random_fill(std::span<std::uint8_t> out)
{
    while (!out.empty()) {
        auto got = ::getrandom(out.data(), out.size(), 0);
        if (got < 0 && errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "getrandom");
        if (got > 0)
            out = out.subspan(static_cast<std::size_t>(got));
    }
}

}    // namespace caisson
