#pragma once

#include "core/exec/live_execution.hpp"

#include <functional>
#include <memory>

/// What a sink of the link's, beside its execution, is given to call: neither of the two outlives what it calls.
namespace caisson {

/// Tells the agent which bytes of a stream are done with.
inline std::function<void(protocol::stream_number stream, std::uint64_t end)> acknowledging(
    const std::shared_ptr<live_execution>& one, protocol::exec_number number)
{
    return [link = std::weak_ptr(one->link), number](protocol::stream_number stream, std::uint64_t end) {
        if (const auto alive = link.lock())
            alive->acknowledge(number, stream, end);
    };
}

inline std::function<void()> waking(const std::shared_ptr<live_execution>& one)
{
    return [weak = std::weak_ptr(one)] {
        if (const auto alive = weak.lock())
            alive->wake();
    };
}

}    // namespace caisson
