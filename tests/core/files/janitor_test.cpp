#include "core/files/janitor.hpp"
#include "tests/support/fake_files.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>

namespace caisson::testing {

namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr std::int64_t start_ms = 1'700'000'000'000;
constexpr std::int64_t hour_ms = 3'600'000;

class counting_logger : public logger {
public:
    void write(log_level level, std::string_view, std::initializer_list<log_field>) noexcept override
    {
        errors += level == log_level::error ? 1 : 0;
    }
    int errors = 0;
};

class Janitor : public ::testing::Test {
protected:
    Janitor() { contents_.now_ms = start_ms; }
    static tenant_id tenant(int number) { return tenant_id::from_trusted("ten_0000000000000000000000000" + std::to_string(number)); }
    /// Keeps a file of `tenant` that expires at `expires_at_ms`.
    artifact_row add(int number, std::int64_t expires_at_ms, std::string bytes, int of_tenant = 1)
    {
        artifact_row row;
        row.execution = execution_id::from_trusted("exe_" + std::to_string(number));
        row.tenant = tenant(of_tenant);
        row.path = "file-" + std::to_string(number);
        row.size_bytes = static_cast<std::int64_t>(bytes.size());
        row.content = contents_.keep(row.tenant, std::move(bytes)).id;
        row.created_at_ms = start_ms + number;
        row.expires_at_ms = expires_at_ms;
        artifacts_.add({row});
        return row;
    }
    janitor_report clean(janitor& with) { return *run_task(context_, with.clean()); }
    janitor make(janitor_options options = {}) { return janitor({time_, log_, contents_, artifacts_}, options); }

    asio::io_context context_;
    fake_timers time_{context_.get_executor(), start_ms};
    counting_logger log_;
    fake_content_store contents_;
    fake_artifact_store artifacts_;
};

TEST_F(Janitor, RemovesWhatExpiredAndItsContents)
{
    auto one = make({.batch = 2});
    for (int i = 1; i <= 5; ++i)
        add(i, start_ms + 1000, "old", 1 + i % 2);
    const auto young = add(6, start_ms + 1001, "young");
    EXPECT_EQ(clean(one).expired, 0u);
    time_.advance(1000ms);
    EXPECT_EQ(clean(one).expired, 5u);
    EXPECT_EQ(artifacts_.size(), 1u);
    EXPECT_EQ(contents_.size(), 1u);
    EXPECT_TRUE(contents_.has(young.content));
}

TEST_F(Janitor, RemovesATenantsOldestBeyondTheBound)
{
    auto one = make({.max_bytes_per_tenant = 25, .batch = 1});
    const auto far = start_ms + 1000 * hour_ms;
    for (int i = 1; i <= 5; ++i)
        add(i, far, std::string(10, 'x'));
    add(9, far, std::string(20, 'y'), 2);
    EXPECT_EQ(clean(one).beyond, 3u);
    EXPECT_EQ(run_task(context_, artifacts_.usage(tenant(1)))->artifact_bytes, 20);
    EXPECT_EQ(run_task(context_, artifacts_.usage(tenant(2)))->artifact_bytes, 20);
    EXPECT_EQ(contents_.size(), 3u);
}

TEST_F(Janitor, BoundsWhatIsStoredAlsoWhereArtifactsSayLess)
{
    auto one = make({.max_stored_per_tenant = 25, .batch = 2});
    for (int i = 1; i <= 5; ++i)
        add(i, start_ms + hour_ms, std::string(3, static_cast<char>('a' + i)));
    EXPECT_EQ(clean(one).beyond, 0u) << "15 bytes";
    const auto neighbours = contents_.keep(tenant(1), std::string(20, 'n'));
    contents_.erased = 10;
    EXPECT_EQ(clean(one).beyond, 0u) << "what is over goes by itself: it was removed already";
    contents_.erased = 9;
    EXPECT_EQ(clean(one).beyond, 1u) << "the oldest, which may be enough: it may take a pack with it";
    EXPECT_EQ(artifacts_.size(), 4u);
    contents_.erased = 0;
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(clean(one).beyond, 1u);
    EXPECT_EQ(clean(one).beyond, 0u) << "23 bytes";
    add(6, start_ms + hour_ms, std::string(9, 'o'), 2);
    EXPECT_EQ(clean(one).beyond, 0u) << "another tenant's do not count";
    EXPECT_TRUE(contents_.has(neighbours.id));
}

TEST_F(Janitor, RemovesOfMuchThatIsStoredTooMuchNoMoreThanMayBeEnough)
{
    constexpr std::int64_t chunk = 256 << 10;
    auto one = make({.max_stored_per_tenant = 5 * chunk, .batch = 2});
    for (int i = 1; i <= 7; ++i)
        add(i, start_ms + hour_ms, std::string(chunk, static_cast<char>('a' + i)));
    contents_.erased = 2 * chunk;
    EXPECT_EQ(clean(one).beyond, 0u);
    contents_.erased = 0;
    EXPECT_EQ(clean(one).beyond, 2u);
    contents_.erased = -5 * chunk;    // as much lies in packs
    EXPECT_EQ(clean(one).beyond, 3u) << "in two steps";
    EXPECT_EQ(artifacts_.size(), 2u);
}

TEST_F(Janitor, RemovesContentsThatNobodyNamesAfterAnHour)
{
    auto one = make({.batch = 2});
    std::vector<content_id> orphans;
    for (int i = 0; i < 5; ++i)
        orphans.push_back(contents_.keep(tenant(1 + i % 2), "orphan").id);
    const auto named = add(1, start_ms + 1000 * hour_ms, "named");
    const auto package = contents_.keep(tenant(1), "a package").id;
    artifacts_.named_elsewhere = {package};
    EXPECT_EQ(clean(one).unnamed, 0u) << "their records may still come";
    time_.advance(std::chrono::milliseconds(hour_ms + 1));
    contents_.now_ms = time_.now_ms();
    const auto fresh = contents_.keep(tenant(1), "fresh").id;
    EXPECT_EQ(clean(one).unnamed, 5u);
    EXPECT_EQ(contents_.size(), 3u);
    for (const auto& id : {named.content, package, fresh})
        EXPECT_TRUE(contents_.has(id));
}

TEST_F(Janitor, LeavesContentsOfWritersAlone)
{
    auto one = make();
    auto batch = contents_.create_batch(tenant(1));
    auto writer = batch->create();
    ASSERT_TRUE(run_task(context_, writer->write(shared_bytes(std::string("slow")))).has_value());
    const auto info = *run_task(context_, writer->finish());
    ASSERT_TRUE(run_task(context_, batch->commit()).has_value());
    time_.advance(std::chrono::milliseconds(3 * hour_ms));
    EXPECT_EQ(clean(one).unnamed, 0u);
    EXPECT_TRUE(contents_.has(info.id));
    writer.reset();
    batch.reset();
    time_.advance(std::chrono::milliseconds(hour_ms));
    EXPECT_EQ(clean(one).unnamed, 1u);
}

TEST_F(Janitor, SearchesOnceAnHour)
{
    auto one = make();
    contents_.now_ms = start_ms - 2 * hour_ms;
    contents_.keep(tenant(1), "of the last server");
    EXPECT_EQ(clean(one).unnamed, 1u) << "at the start";
    contents_.keep(tenant(1), "another");
    time_.advance(59min);
    EXPECT_EQ(clean(one).unnamed, 0u);
    time_.advance(1min);
    EXPECT_EQ(clean(one).unnamed, 1u);
}

TEST_F(Janitor, WhatFailsIsTriedAgainAndIsNotForgotten)
{
    auto one = make();
    add(1, start_ms, "old");
    contents_.fail_next({errc::runtime_unavailable, "the disk is full"});
    EXPECT_EQ(run_task(context_, one.clean()).error().code, errc::runtime_unavailable);
    EXPECT_EQ(artifacts_.size(), 0u);
    EXPECT_EQ(contents_.size(), 1u) << "its record is gone, its content is not";
    time_.advance(std::chrono::milliseconds(hour_ms + 1));
    EXPECT_EQ(clean(one).unnamed, 1u);
    EXPECT_EQ(contents_.size(), 0u);
}

TEST_F(Janitor, RunsARoundAMinuteAndLogsAFailureOnce)
{
    auto one = make();
    artifacts_.throw_next("broken");
    artifacts_.throw_next("broken");
    add(1, start_ms + 90'000, "old");
    asio::cancellation_signal stop;
    bool stopped = false;
    asio::co_spawn(context_, one.run(), asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr) { stopped = true; }));
    for (int i = 0; i < 2; ++i) {
        context_.poll();
        EXPECT_EQ(time_.waiting(), 1u);
        EXPECT_EQ(artifacts_.size(), 1u);
        EXPECT_EQ(log_.errors, 1);
        time_.advance(1min);
    }
    context_.poll();
    EXPECT_EQ(artifacts_.size(), 0u);
    stop.emit(asio::cancellation_type::terminal);
    context_.poll();
    EXPECT_TRUE(stopped);
}

}    // namespace

}    // namespace caisson::testing
