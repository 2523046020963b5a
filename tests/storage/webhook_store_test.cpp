#include "storage/storage.hpp"
#include "tests/storage/busy_context.hpp"
#include "tests/storage/execution_rows.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/fake_webhooks.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

namespace {

/// A store of webhooks, and what executions do with it.
class webhook_set {
public:
    virtual ~webhook_set() = default;
    virtual webhook_store& store() = 0;
    virtual void begin(execution_row row, webhook_spec webhook) = 0;
    virtual void end(execution_row row) = 0;
    virtual void erase(const execution_row& row) = 0;
};

class fake_webhooks : public webhook_set {
public:
    webhook_store& store() override { return store_; }
    void begin(execution_row row, webhook_spec webhook) override
    {
        store_.insert(row.id, row.tenant, webhook.url, webhook.secret);
        if (is_final(row.status))
            end(row);
    }
    void end(execution_row row) override { store_.make_due(row.id, *row.finished_at_ms); }
    void erase(const execution_row& row) override { store_.erase(row.id); }

private:
    fake_webhook_store store_;
};

class sqlite_webhooks : public webhook_set {
public:
    webhook_store& store() override { return storage_->webhooks(); }
    void begin(execution_row row, webhook_spec webhook) override
    {
        execution_spec spec;
        spec.webhook = std::move(webhook);
        auto inserting = is_final(row.status) ? storage_->executions().insert_ended({std::move(row), {}}, std::move(spec))
                                              : storage_->executions().insert(std::move(row), std::move(spec));
        ASSERT_TRUE(run_task(busy_.context, std::move(inserting)).has_value());
    }
    void end(execution_row row) override
    {
        ASSERT_TRUE(run_task(busy_.context, storage_->executions().finish({std::move(row), {}})).has_value());
    }
    void erase(const execution_row& row) override
    {
        ASSERT_TRUE(run_task(busy_.context, storage_->executions().erase(row.tenant, row.id)).has_value());
    }

private:
    busy_context busy_;
    temp_dir dir_;
    std::unique_ptr<storage> storage_ = storage::open(dir_ / "data");
};

struct webhook_kind {
    std::string name;
    std::function<std::unique_ptr<webhook_set>()> make;
};

class WebhookContract : public ::testing::TestWithParam<webhook_kind> {
protected:
    template <class T>
    T run(task<T> work)
    {
        return run_task(busy_.context, std::move(work));
    }
    webhook_store& store() { return set_->store(); }
    static execution_row row(int number, int tenant = 1)
    {
        auto out = execution(number);
        out.tenant = numbered<tenant_id>(tenant);
        return out;
    }
    static execution_row ended(execution_row row, std::int64_t at_ms)
    {
        row.status = execution_status::success;
        row.finished_at_ms = at_ms;
        return row;
    }
    /// An execution that ended at `at_ms`.
    void add(int number, std::int64_t at_ms, const std::string& url = "https://a/x", int tenant = 1)
    {
        set_->begin(row(number, tenant), {url, "secret-of-sixteen-bytes"});
        set_->end(ended(row(number, tenant), at_ms));
    }
    std::vector<int> due(
        std::int64_t now_ms, std::size_t per_receiver = 10, std::size_t per_tenant = 10, std::size_t limit = 10, int after = 0)
    {
        webhook_query wanted{now_ms, after == 0 ? tenant_id() : numbered<tenant_id>(after), per_receiver, per_tenant, limit};
        std::vector<int> numbers;
        const auto jobs = run(store().due(std::move(wanted)));
        for (const auto& job : *jobs)
            for (int i = 0; i < 100; ++i)
                if (numbered<execution_id>(i) == job.execution)
                    numbers.push_back(i);
        return numbers;
    }
    std::optional<std::int64_t> next_due(std::int64_t now_ms) { return run(store().next_due(now_ms)).value(); }

    busy_context busy_;
    std::unique_ptr<webhook_set> set_ = GetParam().make();
};

TEST_P(WebhookContract, IsPendingFromTheBeginAndDueFromTheEndOn)
{
    set_->begin(row(1), {"https://a:8/x", "\x01 secret of sixteen"});
    EXPECT_EQ(run(store().find(numbered<tenant_id>(1), numbered<execution_id>(1))).value(),
        (webhook_status{"https://a:8/x", webhook_state::pending, 0, {}, "", {}}));
    EXPECT_EQ(due(1'000'000), std::vector<int>());
    EXPECT_EQ(next_due(0), std::nullopt);
    set_->end(ended(row(1), 5'000));
    EXPECT_EQ(due(4'999), std::vector<int>());
    EXPECT_EQ(next_due(4'999), 5'000);
    EXPECT_EQ(next_due(5'000), std::nullopt);
    const auto jobs = run(store().due({5'000, {}, 1, 1, 1})).value();
    ASSERT_EQ(jobs.size(), 1u);
    EXPECT_EQ(jobs[0].execution, numbered<execution_id>(1));
    EXPECT_EQ(jobs[0].tenant, numbered<tenant_id>(1));
    EXPECT_EQ(jobs[0].receiver, "a:8");
    EXPECT_EQ(jobs[0].secret, "\x01 secret of sixteen");
    EXPECT_EQ(jobs[0].status, (webhook_status{"https://a:8/x", webhook_state::pending, 0, {}, "", 5'000}));
}

TEST_P(WebhookContract, OfAnExecutionThatEndsWhenItBeginsIsDueAtOnce)
{
    set_->begin(ended(row(1), 7'000), {"https://a/", "secret-of-sixteen-bytes"});
    EXPECT_EQ(due(7'000), std::vector<int>{1});
}

TEST_P(WebhookContract, IsItsTenantsAlone)
{
    add(1, 5'000);
    EXPECT_EQ(run(store().find(numbered<tenant_id>(2), numbered<execution_id>(1))).error().code, errc::not_found);
    EXPECT_EQ(run(store().find(numbered<tenant_id>(1), numbered<execution_id>(2))).error().code, errc::not_found);
}

TEST_P(WebhookContract, KeepsWhatAnAttemptCameTo)
{
    add(1, 5'000);
    const webhook_status later{"https://a/x", webhook_state::pending, 1, 500, "it answered \"500\"", 9'000};
    ASSERT_TRUE(run(store().note(numbered<execution_id>(1), later)).has_value());
    EXPECT_EQ(run(store().find(numbered<tenant_id>(1), numbered<execution_id>(1))).value(), later);
    EXPECT_EQ(due(8'999), std::vector<int>());
    EXPECT_EQ(due(9'000), std::vector<int>{1});
    const webhook_status over{"https://a/x", webhook_state::delivered, 2, 204, "", {}};
    ASSERT_TRUE(run(store().note(numbered<execution_id>(1), over)).has_value());
    EXPECT_EQ(run(store().find(numbered<tenant_id>(1), numbered<execution_id>(1))).value(), over);
    EXPECT_EQ(due(1'000'000), std::vector<int>());
    EXPECT_EQ(run(store().note(numbered<execution_id>(2), over)).error().code, errc::not_found);
}

TEST_P(WebhookContract, GivesTheOldestOfEachReceiverAndTenant)
{
    for (int i = 1; i <= 9; ++i)
        add(i, 5'000 + i, "https://dead/");
    add(10, 6'000, "https://alive/");
    add(11, 7'000, "https://alive/", 2);
    EXPECT_EQ(due(10'000, 2, 10, 10), (std::vector<int>{1, 2, 10, 11}));
    EXPECT_EQ(due(10'000, 2, 2, 10), (std::vector<int>{1, 2, 11}));
    EXPECT_EQ(due(10'000, 2, 10, 1), (std::vector<int>{1, 2, 10})) << "a tenant's come whole";
    EXPECT_EQ(due(10'000, 2, 2, 10, 1), (std::vector<int>{11, 1, 2})) << "tenants take turns";
    EXPECT_EQ(due(10'000, 2, 2, 10, 2), (std::vector<int>{1, 2, 11}));
    EXPECT_EQ(due(5'001, 2, 2, 10), std::vector<int>{1});
}

TEST_P(WebhookContract, GoesWithItsExecution)
{
    add(1, 5'000);
    set_->erase(ended(row(1), 5'000));
    EXPECT_EQ(due(10'000), std::vector<int>());
    EXPECT_EQ(run(store().find(numbered<tenant_id>(1), numbered<execution_id>(1))).error().code, errc::not_found);
}

TEST_P(WebhookContract, IsForgottenWithTime)
{
    for (int i = 1; i <= 4; ++i)
        add(i, 1'000 * i);
    set_->begin(row(5), {"https://a/", "secret-of-sixteen-bytes"});
    EXPECT_EQ(run(store().erase_ended(4'000, 2)).value(), 2u);
    EXPECT_EQ(run(store().erase_ended(4'000, 2)).value(), 1u);
    EXPECT_EQ(run(store().erase_ended(4'000, 2)).value(), 0u);
    EXPECT_EQ(due(10'000), std::vector<int>{4});
    EXPECT_TRUE(run(store().find(numbered<tenant_id>(1), numbered<execution_id>(5))).has_value()) << "it has not ended";
}

INSTANTIATE_TEST_SUITE_P(Stores, WebhookContract,
    ::testing::Values(webhook_kind{"fake", [] { return std::make_unique<fake_webhooks>(); }},
        webhook_kind{"sqlite", [] { return std::make_unique<sqlite_webhooks>(); }}),
    [](const auto& info) { return info.param.name; });

}    // namespace

}    // namespace caisson::testing
