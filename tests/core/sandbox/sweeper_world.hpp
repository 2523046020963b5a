#pragma once

#include "core/exec/execution_holder.hpp"
#include "core/sandbox/sweeper.hpp"
#include "tests/support/fake_runtime.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace caisson::sweeping {

using namespace std::chrono_literals;
using call = testing::fake_runtime::call;
using status = execution_status;

inline const error broken{errc::internal, "disk is broken"};
inline const error busy{errc::timed_out, "the kernel has not let a cgroup go"};

inline constexpr auto interval = 60s;

/// Counts what is logged, by message.
class counting_logger : public logger {
public:
    void write(log_level, std::string_view message, std::initializer_list<log_field>) noexcept override { ++counts[std::string(message)]; }
    int of(std::string_view part) const
    {
        int sum = 0;
        for (const auto& [message, count] : counts)
            sum += message.find(part) == std::string::npos ? 0 : count;
        return sum;
    }
    std::map<std::string, int> counts;
};

/// A sweeper alone, over fakes; each test plays the rest of the server.
class Sweeper : public ::testing::Test {
protected:
    ~Sweeper() override
    {
        begin(sweeps.stop());
        turn();
    }

    void turn()
    {
        context.restart();
        while (context.poll() > 0)
            context.restart();
    }
    void begin(task<> work)
    {
        asio::co_spawn(context, std::move(work), [](std::exception_ptr failure) { EXPECT_FALSE(failure); });
        turn();
    }
    void start()
    {
        asio::co_spawn(context, sweeps.start(), [this](std::exception_ptr failure, result<void> outcome) {
            EXPECT_FALSE(failure);
            started = std::move(outcome);
        });
        turn();
    }
    template <class T>
    T get(task<T> work)
    {
        return testing::run_task(context, std::move(work));
    }
    /// The next sweep.
    void again()
    {
        time.advance(interval);
        turn();
    }

    std::shared_ptr<sandbox> make()
    {
        auto made = get(runtime.create({.id = ids.make<sandbox_id>()}));
        return std::shared_ptr<sandbox>(std::move(made.value()));
    }
    /// One that nobody holds.
    sandbox_id leave() { return make()->id(); }
    void record(const sandbox_id& id, std::string of_runtime = "fake")
    {
        sandbox_row row{.id = id, .tenant = tenant, .runtime = std::move(of_runtime), .state = sandbox_state::running};
        row.runtime_state = "state";
        ASSERT_TRUE(get(sandboxes.insert(row)).has_value());
    }
    execution_row execution(const sandbox_id& id, status now = status::running)
    {
        execution_row row;
        row.id = ids.make<execution_id>();
        row.tenant = tenant;
        row.runtime = "fake";
        row.status = now;
        row.sandbox = id;
        return row;
    }
    execution_row need(const sandbox_id& id, status now = status::running)
    {
        auto row = execution(id, now);
        EXPECT_TRUE(get(executions.insert(row, {})).has_value());
        return row;
    }
    bool is_there(std::size_t number) const { return !runtime.box(number).destroyed; }

    asio::io_context context;
    testing::fake_timers time{context.get_executor()};
    counting_logger log;
    id_factory ids{time};
    tenant_id tenant = ids.make<tenant_id>();
    testing::fake_execution_store executions;
    testing::fake_sandbox_store sandboxes;
    testing::fake_runtime runtime;
    sandbox_sources sources{.runtimes = {{"fake", &runtime}}};
    sweep_rules rules{.interval = interval};
    execution_holder holder{executions};
    sandbox_services services{context.get_executor(), time, log, ids, sandboxes, sources};
    sweeper sweeps{services, {{holder_kind::execution, &holder}}, rules};
    std::optional<result<void>> started;
};

}    // namespace caisson::sweeping
