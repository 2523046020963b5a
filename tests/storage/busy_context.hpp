#pragma once

#include "core/async/task.hpp"

#include <boost/asio/executor_work_guard.hpp>

namespace caisson::testing {

/// An io_context that is never out of work. Between two tasks a database thread may still let go of the first one's work,
/// which would stop a context that has none other after it was restarted for the second.
struct busy_context {
    asio::io_context context;
    asio::executor_work_guard<io_executor> work{context.get_executor()};
};

}    // namespace caisson::testing
