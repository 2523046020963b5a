#pragma once

#include "core/async/notifier.hpp"

#include <memory>
#include <utility>

namespace caisson {

/// Returns when `holds(*owner)` is true: asks at once, and after each change of `owner->changed`. `owner` lives until then; what `holds`
/// refers to must live as long. Cancellation and the notifier's end throw operation_aborted. I/O thread only.
template <class Owner, class Predicate>
task<> wait_until(std::shared_ptr<Owner> owner, Predicate holds)
{
    while (!holds(std::as_const(*owner))) {
        const auto seen = owner->changed.version();
        co_await owner->changed.wait_past(seen);
    }
}

/// Returns at the next change behind `seen`, a version of `owner->changed`, which lives until then.
template <class Owner>
task<> next_change(std::shared_ptr<Owner> owner, std::uint64_t seen)
{
    co_await owner->changed.wait_past(seen);
}

}    // namespace caisson
