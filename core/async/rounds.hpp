#pragma once

#include "core/async/timers.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/base/log.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace caisson {

/// Work that is done again and again, `interval` after its last end, until it is cancelled. A failure is told in the log by `sentence` and
/// its text, and then again only if the next one is another. `time` and `log` outlive it.
template <class T>
task<> in_rounds(
    timers* time, logger* log, std::chrono::milliseconds interval, std::string sentence, std::function<task<result<T>>()> round)
{
    std::string last;
    for (;;) {
        auto attempt = without_exceptions(round());
        const auto done = co_await std::move(attempt);
        auto failure = done.has_error() ? done.error().detail : std::string();
        if (!failure.empty() && failure != last)
            log->error(sentence, {{"what", failure}});
        last = std::move(failure);
        co_await time->wait_for(interval);
    }
}

}    // namespace caisson
