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
    EXPECT_EQ(text_of(find(1)), text_of(want));
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
    EXPECT_EQ(text_of(find(1)), text_of(bare));
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
    spec.files = {{"main.py", std::string("print('\xff\0')", 11)}};
    spec.env = {{"A", "1"}};
    spec.stdin_data = std::string(300'000, '\x01');
    auto other_tenants = execution(3);
    other_tenants.tenant = numbered<tenant_id>(2);
    other_tenants.status = execution_status::running;
    insert(other_tenants);
    insert(execution(1), spec);
    insert(full_execution(2), spec);
    const auto all = *run(executions().unfinished());
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(text_of(all[0].row), text_of(execution(1)));
    EXPECT_EQ(spec_to_json(all[0].spec), spec_to_json(spec));
    EXPECT_EQ(text_of(all[1].row), text_of(other_tenants));
    EXPECT_EQ(spec_to_json(all[1].spec), spec_to_json({}));
}

TEST_P(ExecutionStore, AnEndedExecutionIsNotUnfinished)
{
    insert(execution(1));
    auto row = execution(1);
    row.status = execution_status::success;
    ASSERT_TRUE(run(executions().update(row)).has_value());
    EXPECT_TRUE(run(executions().unfinished())->empty());
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

INSTANTIATE_TEST_SUITE_P(Stores, ExecutionStore, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
