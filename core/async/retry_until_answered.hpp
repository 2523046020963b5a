#pragma once

#include "core/async/timers.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"

#include <algorithm>
#include <functional>

namespace caisson {

/// Asks a store until it answers, at most a second apart: a value, errc::not_found or errc::conflict; other failures are
/// logged with the field `of` and tried again. `time` and `log` outlive it, and so does what `ask` refers to.
template <class T>
task<result<T>> retry_until_answered(timers* time, logger* log, log_field of, std::function<task<result<T>>()> ask)
{
    constexpr std::chrono::milliseconds first_pause(20);
    constexpr std::chrono::milliseconds longest_pause(1000);
    for (auto pause = first_pause;; pause = std::min(pause * 2, longest_pause)) {
        auto attempt = without_exceptions(ask());
        auto answer = co_await std::move(attempt);
        if (answer.has_value() || answer.error().code == errc::not_found || answer.error().code == errc::conflict)
            co_return answer;
        log->error("a record cannot be stored or read; trying again", {of, {"what", answer.error().detail}});
        co_await time->wait_for(pause);
    }
}

}    // namespace caisson
