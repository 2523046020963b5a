#pragma once

#include "core/async/offload.hpp"
#include "core/base/error.hpp"
#include "storage/sqlite/connection.hpp"
#include "storage/sqlite/errors.hpp"

#include <exception>
#include <type_traits>
#include <utility>

namespace caisson::sqlite {

template <class R>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<result<T>> = true;

/// A closure for a writer that is not to be called again: it does something outside of the database.
template <class F>
class called_once {
public:
    explicit called_once(F work) : work_(std::move(work)) { }
    auto operator()(connection& db) { return work_(db); }    // not const: see writer

private:
    F work_;
};

/// What became of a closure: a value, or the exception that it threw.
template <class R>
struct outcome {
    std::exception_ptr failure;
    caisson::detail::optional_of<R> value;

    template <class F>
    void run(F& work, connection& db) noexcept
    {
        failure = nullptr;
        value.reset();
        try {
            if constexpr (std::is_void_v<R>) {
                work(db);
                value.emplace();
            } else {
                value.emplace(work(db));
            }
        } catch (...) {
            failure = std::current_exception();
        }
    }

    /// True if what the closure wrote is to be kept: neither an exception nor a result with an error.
    bool is_success() const
    {
        if constexpr (is_result<R>)
            return value && value->has_value();
        else
            return value.has_value();
    }

    void fail(std::exception_ptr what)
    {
        value.reset();
        failure = std::move(what);
    }

    /// The answer to work that does not fit into the queue: errc::queue_full where R can say it, else an exception.
    static outcome overloaded()
    {
        outcome refused;
        if constexpr (is_result<R>)
            refused.value.emplace(error{errc::queue_full, "the database has too much work queued; try again later"});
        else
            refused.failure = std::make_exception_ptr(storage_error(storage_fault::overloaded, "too much database work is queued"));
        return refused;
    }
};

}    // namespace caisson::sqlite
