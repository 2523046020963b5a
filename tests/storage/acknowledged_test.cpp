#include "core/exec/execution_service.hpp"
#include "tests/storage/disk_image.hpp"
#include "tests/storage/storage_load.hpp"
#include "tests/support/fake_runtime.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

namespace {

using stream = protocol::stream_number;

/// How much the agent had been told is stored when the disk had seen so many operations.
struct acknowledgement {
    std::size_t operations;
    std::uint64_t bytes;
};

std::string numbered_lines(int from, int to)
{
    std::string text;
    for (int i = from; i < to; ++i)
        text += "line " + std::to_string(i) + " of what the program prints\n";
    return text;
}

/// A server on real databases, whose disk is watched, and an agent that is a fake.
class WatchedServer {
public:
    WatchedServer()
    {
        execution_services made{context_.get_executor(), time_, log_, ids_, {store_->executions(), store_->events(), store_->sandboxes()}};
        made.sources.runtimes.emplace("fake", &runtime_);
        made.sources.payload_filter = "a filter";
        made.sources.link = {"test", 1};
        service_ = std::make_unique<execution_service>(std::move(made));
        EXPECT_TRUE(run_task(context_, service_->start()).has_value());
    }
    ~WatchedServer()
    {
        run_task(context_, service_->hand_over(time_.steady_now() + std::chrono::seconds(10)));
        service_.reset();
    }

    void run_program()
    {
        execution_spec spec;
        spec.argv = {"prog"};
        spec.runtime = "fake";
        spec.limits.cpu_ms = 15'000;
        id = run_task(context_, service_->submit(tenant, spec)).value().id;
        until([&] { return runtime_.created() == 1 && agent().is_running(); });
        for (int i = 0; i < 30; ++i) {
            const auto lines = numbered_lines(i * 20, i * 20 + 20);
            agent().print(lines);
            printed += lines;
            // Some pieces share a commit, some have their own.
            if (i % 3 != 0)
                until([&] { return acknowledged() == printed.size(); });
        }
        until([&] { return acknowledged() == printed.size(); });
        agent().exit(0);
        until([&] { return is_final(run_task(context_, store_->executions().find(tenant, id)).value().status); });
    }

    std::vector<disk_operation> take_trace() { return vfs_.take_trace(); }

    tenant_id tenant = numbered<tenant_id>(1);
    execution_id id;
    std::string printed;
    std::vector<acknowledgement> acknowledgements;

private:
    fake_agent& agent() { return runtime_.agent(0); }
    std::uint64_t acknowledged() { return agent().acknowledged(stream::stdout_stream); }

    /// Runs the server until `done`, and notes after each of its turns what the agent has heard.
    template <class F>
    void until(F done)
    {
        const auto deadline = time_.steady_now() + std::chrono::seconds(20);
        while (!done()) {
            ASSERT_LT(time_.steady_now(), deadline);
            context_.restart();
            context_.run_one_for(std::chrono::milliseconds(100));
            if (runtime_.created() > 0 && (acknowledgements.empty() || acknowledgements.back().bytes != acknowledged()))
                acknowledgements.push_back({vfs_.mark(), acknowledged()});
        }
    }

    fault_vfs vfs_;
    fast_dir dir_;
    busy_context busy_;
    asio::io_context& context_ = busy_.context;
    system_timers time_;
    null_logger log_;
    id_factory ids_{time_};
    fake_runtime runtime_;
    std::unique_ptr<storage> store_ = storage::open(dir_.path(), {.readers = 1, .reserve_bytes = 0});
    std::unique_ptr<execution_service> service_;
};

class AfterCut {
public:
    explicit AfterCut(const WatchedServer& from) : from_(from) { }

    void compare(const std::filesystem::path& dir, std::size_t operations)
    {
        const auto store = storage::open(dir, {.access = storage_access::tool, .readers = 1});
        std::string stored;
        log_position position;
        for (;;) {
            const auto events = run_task(busy_.context, store->events().read(from_.id, position, 1 << 20)).value();
            if (events.empty())
                break;
            for (const auto& each : events) {
                if (each->kind == event_kind::output)
                    stored += each->data.view();
                position = each->end;
            }
        }
        EXPECT_TRUE(from_.printed.starts_with(stored)) << "other bytes than were printed";
        for (const auto& each : from_.acknowledgements)
            if (each.operations <= operations)
                EXPECT_GE(stored.size(), each.bytes) << "the agent may have dropped what is not stored";
        const auto row = run_task(busy_.context, store->executions().find(from_.tenant, from_.id));
        const auto extent = run_task(busy_.context, store->events().extent(from_.id)).value();
        if (row.has_value() && is_final(row->status))
            EXPECT_TRUE(extent.has_exit && stored == from_.printed) << "the record is final and its log is not whole";
    }

private:
    const WatchedServer& from_;
    busy_context busy_;
};

TEST(PowerCut, TakesNoByteThatAnAgentWasToldIsStored)
{
    WatchedServer server;
    server.run_program();
    const auto trace = server.take_trace();
    ASSERT_GT(server.acknowledgements.size(), 10u);
    ASSERT_EQ(server.acknowledgements.back().bytes, server.printed.size());
    AfterCut judge(server);
    disk_image disk;
    std::mt19937_64 random(2);    // any seed must do
    const fast_dir after;
    for (std::size_t done = 1; done <= trace.size() && !::testing::Test::HasFailure(); ++done) {
        disk.apply(trace[done - 1]);
        const bool at_sync = trace[done - 1].what == disk_operation::kind::sync;
        if (!at_sync && done % 4 != 0)
            continue;
        SCOPED_TRACE("cut after operation " + std::to_string(done) + " of " + std::to_string(trace.size()));
        after.empty();
        for (const auto& [name, bytes] : disk.after_cut(at_sync ? cut_kind::dropped : cut_kind::torn, random))
            write_file(after.path() / name, bytes);
        judge.compare(after.path(), done);
    }
}

}    // namespace

}    // namespace caisson::testing
