#pragma once

#include "core/async/task.hpp"

#include <boost/asio/basic_signal_set.hpp>

#include <csignal>

namespace caisson::cli {

using signal_set = asio::basic_signal_set<io_executor>;

/// Returns at the first SIGINT or SIGTERM during the wait.
inline task<> interrupted(io_executor executor)
{
    signal_set signals(executor, SIGINT, SIGTERM);
    co_await signals.async_wait(use_task);
}

}    // namespace caisson::cli
