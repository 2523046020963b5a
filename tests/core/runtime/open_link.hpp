#pragma once

#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/protocol/agent_link.hpp"
#include "core/runtime/ports.hpp"
#include "tests/core/runtime/runtime_world.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

namespace caisson::testing {

/// Collects what one execution's sink hears.
class recorder : public protocol::execution_sink {
public:
    explicit recorder(io_executor executor) : changed_(executor) { }

    void on_started(std::int32_t, std::uint64_t) override
    {
        started_ = true;
        changed_.notify_all();
    }
    void on_output(protocol::stream_number stream, std::uint64_t, shared_bytes bytes) override
    {
        (stream == protocol::stream_number::stdout_stream ? outcome.out : outcome.err) += bytes.view();
    }
    void on_gap(protocol::stream_number, std::uint64_t, std::uint64_t) override { ADD_FAILURE() << "a gap"; }
    void on_eof(protocol::stream_number, std::uint64_t) override
    {
        ++ended_;
        changed_.notify_all();
    }
    void on_stdin_taken(std::uint64_t) override { }
    void on_exited(protocol::exit_report report) override
    {
        outcome.exit = report;
        changed_.notify_all();
    }
    void on_start_failed(int code, std::string step) override
    {
        outcome.start_failure.emplace(code, std::move(step));
        changed_.notify_all();
    }
    void on_unknown() override
    {
        outcome.unknown = true;
        changed_.notify_all();
    }

    task<> wait()
    {
        while (!(outcome.exit && ended_ == 2) && !outcome.start_failure && !outcome.unknown)
            co_await changed_.wait_past(changed_.version());
    }

    task<> wait_started()
    {
        while (!started_ && !outcome.start_failure)
            co_await changed_.wait_past(changed_.version());
    }

    program_outcome outcome;

private:
    notifier changed_;
    bool started_ = false;
    int ended_ = 0;
};

inline task<> run_link(protocol::agent_link* link) { (void)co_await link->run(); }

/// A link to a sandbox's agent that carries one execution.
class open_link {
public:
    open_link(io_executor executor, timers& time, logger& log, sandbox& box)
        : time_(time), heard_(executor), number_(++last_number), link_(make(executor, time, log, box)), background_(executor, log)
    {
    }

    task<> greet()
    {
        auto opened = co_await link_->open(time_.steady_now() + std::chrono::seconds(10));
        if (opened.has_error())
            throw std::runtime_error("link: " + opened.error().detail);
        background_.spawn("link", run_link(link_.get()));
        link_->attach(number_, heard_, std::nullopt);
    }
    task<> close()
    {
        link_->close();
        co_await background_.stop();
    }

    protocol::agent_link& link() { return *link_; }
    recorder& heard() { return heard_; }
    protocol::exec_number number() const { return number_; }

private:
    static std::unique_ptr<protocol::agent_link> make(io_executor executor, timers& time, logger& log, sandbox& box)
    {
        static std::uint64_t epoch = 0;
        auto connect = [&box] { return box.connect(); };
        return protocol::make_agent_link(executor, time, log, std::move(connect), {.instance = "test", .epoch = ++epoch});
    }

    static inline protocol::exec_number last_number = 0;
    timers& time_;
    recorder heard_;
    protocol::exec_number number_;
    std::unique_ptr<protocol::agent_link> link_;
    task_group background_;
};

}    // namespace caisson::testing
