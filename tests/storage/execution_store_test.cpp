#include "tests/storage/execution_rows.hpp"

namespace caisson::testing {

namespace {

class ExecutionStore : public StoreContract {
protected:
    void insert(execution_row row, execution_spec spec = {})
    {
        ASSERT_TRUE(run(executions().insert(std::move(row), std::move(spec))).has_value());
    }
    execution_row find(int number) { return *run(executions().find(numbered<tenant_id>(1), numbered<execution_id>(number))); }
    execution_payload payload(int number, std::size_t most_bytes = 1 << 20)
    {
        return *run(executions().find_payload(numbered<tenant_id>(1), numbered<execution_id>(number), most_bytes));
    }
};

TEST_P(ExecutionStore, FindsWhatWasInserted)
{
    insert(execution(1));
    insert(full_execution(2));
    EXPECT_EQ(text_of(find(1)), text_of(execution(1)));
    EXPECT_EQ(text_of(find(2)), text_of(full_execution(2)));
}

TEST_P(ExecutionStore, TheSameIdConflictsAndChangesNothing)
{
    insert(execution(1));
    auto again = full_execution(1);
    again.tenant = numbered<tenant_id>(2);
    EXPECT_EQ(code_of(run(executions().insert(again, {}))), errc::conflict);
    EXPECT_EQ(text_of(find(1)), text_of(execution(1)));
    EXPECT_TRUE(run(executions().list(again.tenant, {}))->empty());
}

TEST_P(ExecutionStore, AnotherTenantsIdIsNotFound)
{
    insert(execution(1));
    const auto other = numbered<tenant_id>(2);
    const auto id = numbered<execution_id>(1);
    EXPECT_EQ(code_of(run(executions().find(other, id))), errc::not_found);
    EXPECT_EQ(code_of(run(executions().request_cancel(other, id))), errc::not_found);
    EXPECT_EQ(code_of(run(executions().erase(other, id))), errc::not_found);
    auto row = execution(1);
    row.tenant = other;
    EXPECT_EQ(code_of(run(executions().update(row))), errc::not_found);
    EXPECT_EQ(code_of(run(executions().find(numbered<tenant_id>(1), numbered<execution_id>(2)))), errc::not_found);
    EXPECT_EQ(code_of(run(executions().update(execution(2)))), errc::not_found);
}

TEST_P(ExecutionStore, UpdateOverwritesAllButWhatIsFixed)
{
    auto first = execution(1);
    first.labels = {{"team", "a"}};
    insert(first);
    const auto changed = full_execution(1);
    auto update = changed;
    update.kind = execution_kind::shell;
    update.created_at_ms = 1;
    ASSERT_TRUE(run(executions().update(update)).has_value());
    auto want = changed;
    want.kind = first.kind;
    want.labels = first.labels;
    want.skill_name = first.skill_name;
    EXPECT_EQ(text_of(find(1)), text_of(want));
}

TEST_P(ExecutionStore, InputIsKeptAndOutputComesLater)
{
    auto row = execution(1);
    row.skill_name = "echo";
    execution_spec spec;
    spec.input = shared_bytes(std::string("{\"text\":\"\0\"}", 12) + std::string(100'000, ' '));
    insert(row, spec);
    EXPECT_EQ(payload(1).input, spec.input);
    EXPECT_EQ(payload(1).output, "");
    row.status = execution_status::running;
    ASSERT_TRUE(run(executions().update(row)).has_value());
    row.output = shared_bytes("[1]");
    row.status = execution_status::success;
    ASSERT_TRUE(run(executions().update(row)).has_value());
    EXPECT_EQ(payload(1).input, spec.input);
    EXPECT_EQ(payload(1).output, "[1]");
    EXPECT_EQ(find(1).output, "") << "rows come without";
    EXPECT_EQ(find(1).skill_name, "echo");
}

TEST_P(ExecutionStore, TextsThatAreTooLongAreLeftOutAndTold)
{
    auto row = full_execution(1);
    row.output = shared_bytes("12345678");
    execution_spec spec;
    spec.input = shared_bytes("[1]");
    insert(row, spec);
    insert(execution(2));
    const auto some = payload(1, 7);
    EXPECT_EQ(some.input, "[1]");
    EXPECT_EQ(some.output, "");
    EXPECT_EQ(some.input_bytes, 3u);
    EXPECT_EQ(some.output_bytes, 8u);
    EXPECT_EQ(payload(1, 8).output, "12345678");
    EXPECT_EQ(payload(2).input_bytes + payload(2).output_bytes, 0u);
    EXPECT_EQ(code_of(run(executions().find_payload(numbered<tenant_id>(2), numbered<execution_id>(1), 8))), errc::not_found);
}

TEST_P(ExecutionStore, TextsAreReadInPieces)
{
    auto row = full_execution(1);
    row.output = shared_bytes(std::string("\"\0\xc3\xa9 8\"", 7));
    execution_spec spec;
    spec.input = shared_bytes("[1]");
    insert(row, spec);
    const auto tenant = numbered<tenant_id>(1);
    const auto piece = [&](payload_part part, std::uint64_t offset, std::size_t most) {
        const auto read = *run(executions().read_payload(tenant, numbered<execution_id>(1), part, offset, most));
        return std::string(read.bytes.view()) + " of " + std::to_string(read.total_bytes);
    };
    EXPECT_EQ(piece(payload_part::input, 0, 2), "[1 of 3");
    EXPECT_EQ(piece(payload_part::input, 2, 2), "] of 3");
    EXPECT_EQ(piece(payload_part::input, 3, 2), " of 3");
    EXPECT_EQ(piece(payload_part::output, 1, 2), std::string("\0\xc3 of 7", 7));
    insert(execution(2));
    EXPECT_EQ(run(executions().read_payload(tenant, numbered<execution_id>(2), payload_part::input, 0, 9))->total_bytes, 0u);
    EXPECT_EQ(code_of(run(executions().read_payload(numbered<tenant_id>(2), numbered<execution_id>(1), payload_part::input, 0, 9))),
        errc::not_found);
}

TEST_P(ExecutionStore, ListsLeaveOutputOut)
{
    execution_spec spec;
    spec.input = shared_bytes("[1]");
    auto row = full_execution(1);
    insert(row, spec);
    insert(execution(2), spec);
    const auto rows = *run(executions().list(numbered<tenant_id>(1), {}));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(text_of(rows[1]), text_of(row));
    EXPECT_EQ(rows[1].output, "");
    const auto unfinished = *run(executions().unfinished({}, 10));
    ASSERT_EQ(unfinished.size(), 1u);
    EXPECT_EQ(unfinished[0].spec.input, "[1]");
}

TEST_P(ExecutionStore, TheSpecIsThereUntilTheEnd)
{
    execution_spec spec;
    spec.argv = {"a", "b"};
    insert(execution(1), spec);
    const auto tenant = numbered<tenant_id>(1);
    EXPECT_EQ(run(executions().find_spec(tenant, numbered<execution_id>(1)))->argv, spec.argv);
    EXPECT_EQ(code_of(run(executions().find_spec(numbered<tenant_id>(2), numbered<execution_id>(1)))), errc::not_found);
    EXPECT_EQ(code_of(run(executions().find_spec(tenant, numbered<execution_id>(2)))), errc::not_found);
    ASSERT_TRUE(run(executions().update(full_execution(1))).has_value());
    EXPECT_EQ(code_of(run(executions().find_spec(tenant, numbered<execution_id>(1)))), errc::not_found);
}

TEST_P(ExecutionStore, UpdateCanEmptyWhatMayBeAbsent)
{
    auto row = full_execution(1);
    row.status = execution_status::running;
    insert(row);
    auto bare = execution(1);
    bare.status = execution_status::running;
    ASSERT_TRUE(run(executions().update(bare)).has_value());
    bare.kind = row.kind;
    bare.labels = row.labels;
    bare.skill_name = row.skill_name;
    EXPECT_EQ(text_of(find(1)), text_of(bare));
    EXPECT_EQ(payload(1).output, row.output) << "an empty one leaves the stored one";
}

class FinalStatus : public StoreContract { };
TEST_P(FinalStatus, IsKept)
{
    int number = 0;
    for (const auto status : {execution_status::success, execution_status::failed, execution_status::timeout, execution_status::cancelled,
             execution_status::interrupted}) {
        auto row = execution(++number);
        ASSERT_TRUE(run(executions().insert(row, {})).has_value());
        row.status = status;
        ASSERT_TRUE(run(executions().update(row)).has_value());
        row.status = execution_status::running;
        EXPECT_EQ(code_of(run(executions().update(row))), errc::conflict) << to_string(status);
        EXPECT_EQ(code_of(run(executions().request_cancel(row.tenant, row.id))), errc::conflict) << to_string(status);
        EXPECT_EQ(run(executions().find(row.tenant, row.id))->status, status);
    }
}
INSTANTIATE_TEST_SUITE_P(Stores, FinalStatus, store_kinds(), kind_name);

TEST_P(ExecutionStore, ACancelRequestOutlivesLaterUpdates)
{
    insert(execution(1));
    ASSERT_TRUE(run(executions().request_cancel(numbered<tenant_id>(1), numbered<execution_id>(1))).has_value());
    ASSERT_TRUE(run(executions().request_cancel(numbered<tenant_id>(1), numbered<execution_id>(1))).has_value());
    auto stale = execution(1);
    stale.status = execution_status::running;
    ASSERT_TRUE(run(executions().update(stale)).has_value());
    EXPECT_TRUE(find(1).cancel_requested);
    insert(execution(2));
    auto asking = execution(2);
    asking.cancel_requested = true;
    ASSERT_TRUE(run(executions().update(asking)).has_value());
    EXPECT_TRUE(find(2).cancel_requested);
}

TEST_P(ExecutionStore, UnfinishedComeOldestFirstWithTheirSpecs)
{
    execution_spec spec;
    spec.kind = execution_kind::code;
    spec.argv = {"/usr/bin/python3", "main.py"};
    spec.files = {{"main.py", shared_bytes(std::string("print('\xff\0')", 11))}};
    spec.env = {{"A", "1"}};
    spec.stdin_data = shared_bytes(std::string(300'000, '\x01'));
    auto other_tenants = execution(3);
    other_tenants.tenant = numbered<tenant_id>(2);
    other_tenants.status = execution_status::running;
    insert(other_tenants);
    insert(execution(1), spec);
    insert(full_execution(2), spec);
    const auto all = *run(executions().unfinished({}, 100));
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(text_of(all[0].row), text_of(execution(1)));
    EXPECT_EQ(spec_to_json(all[0].spec), spec_to_json(spec));
    EXPECT_EQ(text_of(all[1].row), text_of(other_tenants));
    EXPECT_EQ(spec_to_json(all[1].spec), spec_to_json({}));
}

TEST_P(ExecutionStore, UnfinishedComeInPages)
{
    for (int i = 1; i <= 5; ++i)
        insert(execution(i));
    std::vector<std::size_t> pages;
    execution_id last;
    for (auto page = *run(executions().unfinished(last, 2)); !page.empty(); page = *run(executions().unfinished(last, 2))) {
        pages.push_back(page.size());
        last = page.back().row.id;
    }
    EXPECT_EQ(pages, (std::vector<std::size_t>{2, 2, 1}));
    EXPECT_EQ(last, numbered<execution_id>(5));
}

TEST_P(ExecutionStore, SandboxesInUseAreThoseOfUnfinishedOnes)
{
    insert(execution(1));
    auto running = execution(2);
    running.status = execution_status::running;
    running.sandbox = numbered<sandbox_id>(7);
    insert(running);
    insert(full_execution(3));
    EXPECT_EQ(*run(executions().sandboxes_in_use()), std::vector{numbered<sandbox_id>(7)});
}

TEST_P(ExecutionStore, AnEndedExecutionIsNotUnfinished)
{
    insert(execution(1));
    auto row = execution(1);
    row.status = execution_status::success;
    ASSERT_TRUE(run(executions().update(row)).has_value());
    EXPECT_TRUE(run(executions().unfinished({}, 100))->empty());
}

TEST_P(ExecutionStore, EraseRemovesEndedOnesOnly)
{
    insert(execution(1));
    insert(full_execution(2));
    const auto tenant = numbered<tenant_id>(1);
    EXPECT_EQ(code_of(run(executions().erase(tenant, numbered<execution_id>(1)))), errc::conflict);
    ASSERT_TRUE(run(executions().erase(tenant, numbered<execution_id>(2))).has_value());
    EXPECT_EQ(code_of(run(executions().erase(tenant, numbered<execution_id>(2)))), errc::not_found);
    execution_filter labelled;
    labelled.label = {"team", "a b"};
    EXPECT_TRUE(run(executions().list(tenant, labelled))->empty());
    EXPECT_EQ(run(executions().list(tenant, {}))->size(), 1u);
    insert(full_execution(2));
    EXPECT_EQ(run(executions().list(tenant, labelled))->size(), 1u) << "an erased id may come again";
}

TEST_P(ExecutionStore, WhatEndsKeepIsSummedByTenant)
{
    const auto first = numbered<tenant_id>(1);
    const auto second = numbered<tenant_id>(2);
    using sums = std::vector<std::pair<tenant_id, std::int64_t>>;
    EXPECT_EQ(*run(executions().kept_bytes()), sums());
    insert(execution(1));
    EXPECT_EQ(*run(executions().kept_bytes()), sums()) << "it has not ended";
    auto end = full_execution(1);
    ASSERT_TRUE(run(executions().finish({end, {}, std::nullopt, {}, 1'500})).has_value());
    EXPECT_EQ(code_of(run(executions().finish({end, {}, std::nullopt, {}, 7'000}))), errc::conflict);
    ASSERT_TRUE(run(executions().insert_ended({full_execution(2), {}, std::nullopt, {}, 300}, {})).has_value());
    auto other = full_execution(3);
    other.tenant = second;
    ASSERT_TRUE(run(executions().insert_ended({other, {}, std::nullopt, {}, 40}, {})).has_value());
    EXPECT_EQ(*run(executions().kept_bytes()), (sums{{first, 1'800}, {second, 40}}));
    EXPECT_EQ(run(executions().totals(first))->kept_bytes, 1'800);
    EXPECT_EQ(run(executions().erase(first, numbered<execution_id>(1)))->kept_bytes, 1'500);
    EXPECT_EQ(run(executions().erase(second, numbered<execution_id>(3)))->kept_bytes, 40);
    EXPECT_EQ(*run(executions().kept_bytes()), (sums{{first, 300}}));
    EXPECT_EQ(run(executions().totals(second))->kept_bytes, 0);
}

TEST_P(ExecutionStore, TheOldestComeFirst)
{
    for (int i = 1; i <= 5; ++i) {
        auto row = i % 2 == 0 ? execution(i) : full_execution(i);
        row.tenant = numbered<tenant_id>(i < 4 ? 1 : 2);
        insert(row);
    }
    const auto numbers = [this](std::optional<tenant_id> tenant, int after, std::size_t limit) {
        std::string all;
        const auto last = after == 0 ? execution_id() : numbered<execution_id>(after);
        const auto page = *run(executions().oldest(tenant, last, limit));
        for (const auto& each : page)
            all += std::string(1, each.id.str().back()) + (each.finished_at_ms ? "e" : "");
        return all;
    };
    EXPECT_EQ(numbers(std::nullopt, 0, 10), "1e23e45e");
    EXPECT_EQ(numbers(std::nullopt, 2, 2), "3e4");
    EXPECT_EQ(numbers(numbered<tenant_id>(1), 0, 10), "1e23e");
    EXPECT_EQ(numbers(numbered<tenant_id>(2), 4, 10), "5e");
    EXPECT_EQ(numbers(numbered<tenant_id>(2), 5, 10), "");
    const auto page = *run(executions().oldest(numbered<tenant_id>(2), {}, 10));
    EXPECT_EQ(page.at(1).tenant, numbered<tenant_id>(2));
    EXPECT_EQ(page.at(1).created_at_ms, full_execution(5).created_at_ms);
    EXPECT_EQ(page.at(1).finished_at_ms, full_execution(5).finished_at_ms);
}

INSTANTIATE_TEST_SUITE_P(Stores, ExecutionStore, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
