#pragma once

#include "adapters/engine/engine.hpp"
#include "tests/adapters/containers/imposter.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace caisson::docker {

using namespace std::chrono_literals;
using caisson::testing::imposter;

/// A client of an imposter, under a fake clock.
class imposter_test : public ::testing::Test {
protected:
    void TearDown() override { run(there.stop()); }

    template <class T>
    T run(task<T> work)
    {
        return caisson::testing::run_task(context, std::move(work));
    }
    /// Runs what can run without the clock moving.
    void settle()
    {
        context.restart();
        for (int i = 0; i < 3; ++i) {
            while (context.poll() > 0) { }
        }
    }
    steady_time soon() const { return time.steady_now() + 30s; }

    /// Work that goes on while the test does something else.
    template <class T>
    struct begun {
        std::optional<T> value;
        std::exception_ptr failure;
        bool done() const { return value.has_value() || failure; }
    };
    template <class T>
    std::shared_ptr<begun<T>> begin(task<T> work)
    {
        auto out = std::make_shared<begun<T>>();
        auto wrapped = [](task<T> inner, std::shared_ptr<begun<T>> into) -> task<> { into->value.emplace(co_await std::move(inner)); };
        asio::co_spawn(context, wrapped(std::move(work), out), [out](std::exception_ptr e) { out->failure = e; });
        return out;
    }
    /// Runs the context until it is done.
    template <class T>
    T& end(begun<T>& of)
    {
        context.restart();
        while (!of.done() && context.run_one() > 0) { }
        if (of.failure)
            std::rethrow_exception(of.failure);
        return of.value.value();
    }

    /// Time passes in steps, so that what waits does one thing after the other.
    template <class T>
    T& pass_until_done(begun<T>& of)
    {
        for (int step = 0; step < 1000 && !of.done(); ++step) {
            settle();
            if (!of.done())
                time.advance(100ms);
        }
        if (!of.done())
            throw std::runtime_error("it does not end");
        return end(of);
    }

    asio::io_context context{1};
    caisson::testing::fake_timers time{context.get_executor()};
    imposter there{context.get_executor()};
    engine on{context.get_executor(), time, {.address = there.address()}};
};

}    // namespace caisson::docker
