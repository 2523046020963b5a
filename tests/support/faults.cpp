#include "tests/support/faults.hpp"

#include <stdexcept>
#include <utility>

namespace caisson::testing {

std::optional<error> faults::enter()
{
    ++calls_;
    if (planned_.empty())
        return std::nullopt;
    auto next = std::move(planned_.front());
    planned_.pop_front();
    if (next.passes)
        return std::nullopt;
    if (next.throws)
        throw std::runtime_error(next.what.detail);
    return std::move(next.what);
}

}    // namespace caisson::testing
