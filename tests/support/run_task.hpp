#pragma once

#include "core/async/task.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <optional>
#include <stdexcept>

namespace caisson::testing {

/// Runs `context` until `work` is done and returns its value, or throws what it threw. Other work of the context runs too
/// and stays suspended where it is afterwards. Throws std::logic_error if the context runs out of work first.
template <class T>
T run_task(asio::io_context& context, task<T> work)
{
    context.restart();
    bool done = false;
    std::exception_ptr failure;
    if constexpr (std::is_void_v<T>) {
        asio::co_spawn(context.get_executor(), std::move(work), [&](std::exception_ptr e) {
            failure = e;
            done = true;
        });
    } else {
        std::optional<T> value;
        auto wrapped = [](task<T> inner, std::optional<T>& out) -> task<> { out.emplace(co_await std::move(inner)); };
        asio::co_spawn(context.get_executor(), wrapped(std::move(work), value), [&](std::exception_ptr e) {
            failure = e;
            done = true;
        });
        while (!done && context.run_one() > 0) { }
        if (failure)
            std::rethrow_exception(failure);
        if (!value)
            throw std::logic_error("the context ran out of work before the task was done");
        return std::move(*value);
    }
    while (!done && context.run_one() > 0) { }
    if (failure)
        std::rethrow_exception(failure);
    if (!done)
        throw std::logic_error("the context ran out of work before the task was done");
}

}    // namespace caisson::testing
