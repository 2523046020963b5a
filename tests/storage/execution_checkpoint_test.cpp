#include "tests/storage/artifact_rows.hpp"
#include "tests/storage/execution_rows.hpp"
#include "tests/storage/thread_fixture.hpp"

namespace caisson::testing {

namespace {

class ExecutionCheckpoint : public ThreadStoreTest {
protected:
    ExecutionCheckpoint() { EXPECT_TRUE(run(storage_->executions().insert(execution(1), {})).has_value()); }
    checkpoint_end end_with(const std::string& id, std::string_view state)
    {
        auto one = draft("t", id, state);
        one.row.references = {numbered<execution_id>(1), {{numbered<execution_id>(1), "a"}}, ""};
        return {std::move(one), policy_, bounds_};
    }
    result<void> finish(checkpoint_end what)
    {
        return run(storage_->executions().finish({full_execution(1), {artifact(1, "a", 1)}, std::move(what)}));
    }
    checkpoint_note note() { return run(storage_->executions().find(tenant_, numbered<execution_id>(1)))->checkpoint.value(); }
};

TEST_F(ExecutionCheckpoint, ComesWithTheEnd)
{
    ASSERT_TRUE(finish(end_with("a", "1")).has_value());
    EXPECT_EQ(note(), (checkpoint_note{thread_name("t"), checkpoint_id::from_trusted("a"), ""}));
    EXPECT_EQ(state_of("t", "a"), "1");
    EXPECT_TRUE(run(storage_->artifacts().find(tenant_, numbered<execution_id>(1), "a")).has_value());
}

TEST_F(ExecutionCheckpoint, ThatIsRefusedLeavesANoteAndTheEnd)
{
    save("t", "a", "0");
    ASSERT_TRUE(finish(end_with("a", "1")).has_value());
    EXPECT_TRUE(note().id.empty());
    EXPECT_NE(note().error.find("is taken"), std::string::npos) << note().error;
    EXPECT_EQ(chain("t"), "a");
    EXPECT_EQ(usage().states, 1);
    EXPECT_TRUE(run(storage_->artifacts().find(tenant_, numbered<execution_id>(1), "a")).has_value());
}

TEST_F(ExecutionCheckpoint, OfAFullTenantIsANote)
{
    bounds_.max_bytes = 10;
    ASSERT_TRUE(finish(end_with("a", "1")).has_value());
    EXPECT_NE(note().error.find("more than the 10"), std::string::npos) << note().error;
    EXPECT_EQ(chain("t"), "none");
}

TEST_F(ExecutionCheckpoint, OfAnEndThatIsRefusedIsNotThere)
{
    ASSERT_TRUE(finish(end_with("a", "1")).has_value());
    EXPECT_EQ(code_of(finish(end_with("b", "2"))), errc::conflict);
    EXPECT_EQ(chain("t"), "a");
}

TEST_F(ExecutionCheckpoint, EndsAreCounted)
{
    ASSERT_TRUE(finish(end_with("a", "1")).has_value());
    ASSERT_TRUE(run(storage_->executions().erase(tenant_, numbered<execution_id>(1))).has_value());
    const auto totals = *run(storage_->executions().totals(tenant_));
    EXPECT_EQ(totals.all.total, 1);
    EXPECT_EQ(totals.all.timeout, 1);
    EXPECT_GT(totals.all.duration_ms, 0);
    EXPECT_EQ(run(storage_->executions().totals(other_))->all, execution_tally());
}

}    // namespace

}    // namespace caisson::testing
