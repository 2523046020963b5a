#pragma once

#include "core/images/image_service.hpp"
#include "tests/support/fake_images.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson::imaging {

using namespace std::chrono_literals;

class quiet_log : public logger {
public:
    void write(log_level, std::string_view message, std::initializer_list<log_field>) noexcept override { lines.emplace_back(message); }
    std::vector<std::string> lines;
};

/// A task that runs while the test does something else.
template <class T>
struct under_way {
    std::optional<T> value;
    std::exception_ptr failure;
};

/// The service over an engine in memory.
class ImageService : public ::testing::Test {
protected:
    image_service& service()
    {
        if (!service_)
            service_.emplace(context_.get_executor(), time_, log_, store_, has_engine_ ? &engine_ : nullptr, options_);
        return *service_;
    }

    template <class T>
    T run(task<T> work)
    {
        return caisson::testing::run_task(context_, std::move(work));
    }

    template <class T>
    std::shared_ptr<under_way<T>> begin(task<T> work, std::shared_ptr<asio::cancellation_signal> leave = {})
    {
        auto state = std::make_shared<under_way<T>>();
        auto keep = [](task<T> inner, std::shared_ptr<under_way<T>> into) -> task<> { into->value.emplace(co_await std::move(inner)); };
        auto done = [state, leave](std::exception_ptr failure) { state->failure = std::move(failure); };
        if (leave)
            asio::co_spawn(context_, keep(std::move(work), state), asio::bind_cancellation_slot(leave->slot(), done));
        else
            asio::co_spawn(context_, keep(std::move(work), state), done);
        turn();
        return state;
    }

    void turn()
    {
        context_.restart();
        while (context_.poll() > 0)
            context_.restart();
    }

    void advance(std::chrono::milliseconds by)
    {
        time_.advance(by);
        turn();
    }

    asio::io_context context_;
    caisson::testing::fake_timers time_{context_.get_executor()};
    quiet_log log_;
    caisson::testing::fake_allowed_images store_;
    caisson::testing::fake_image_engine engine_;
    image_options options_{.allowed = {"python:3.12-slim", "bash:5"}};
    bool has_engine_ = true;
    std::optional<image_service> service_;
};

}    // namespace caisson::imaging
