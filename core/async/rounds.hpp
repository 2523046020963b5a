#pragma once

#include "core/async/timers.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/base/log.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace caisson {

/// Runs `round` again and again, each time `interval` after its last end, until cancelled. Logs a failure as `sentence` with its text,
/// unless the round before failed with the same text. `time` and `log` must outlive it.
template <class T>
task<> run_every(
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
