#include "tests/storage/store_contract.hpp"

namespace caisson::testing {

namespace {

class SandboxStore : public StoreContract {
protected:
    static sandbox_row sandbox(int number)
    {
        sandbox_row row;
        row.id = numbered<sandbox_id>(number);
        row.tenant = numbered<tenant_id>(1);
        row.holder = {holder_kind::execution, numbered<execution_id>(number).str()};
        row.runtime = "bubblewrap";
        row.runtime_state = R"({"pid":7})";
        row.created_at_ms = 1000 + number;
        return row;
    }
    void insert(sandbox_row row) { ASSERT_TRUE(run(sandboxes().insert(std::move(row))).has_value()); }
};

TEST_P(SandboxStore, FindsWhatWasInserted)
{
    insert(sandbox(1));
    const auto found = *run(sandboxes().find(numbered<sandbox_id>(1)));
    EXPECT_EQ(found.id, numbered<sandbox_id>(1));
    EXPECT_EQ(found.tenant, numbered<tenant_id>(1));
    EXPECT_EQ(found.holder, (holder_ref{holder_kind::execution, numbered<execution_id>(1).str()}));
    EXPECT_EQ(found.spec, "");
    EXPECT_TRUE(found.labels.empty());
    EXPECT_EQ(found.expires_at_ms, std::nullopt);
    EXPECT_EQ(found.runtime, "bubblewrap");
    EXPECT_EQ(found.state, sandbox_state::creating);
    EXPECT_EQ(found.runtime_state, R"({"pid":7})");
    EXPECT_EQ(found.cause, "");
    EXPECT_EQ(found.created_at_ms, 1001);
    EXPECT_EQ(found.ended_at_ms, std::nullopt);
}

TEST_P(SandboxStore, KeepsWhatATenantAskedFor)
{
    auto row = sandbox(1);
    row.holder = {holder_kind::tenant, row.tenant.str()};
    row.spec = R"({"template":"python"})";
    row.labels = {{"name", "shell \"of\" agent"}, {"", "empty"}};
    row.expires_at_ms = 9000;
    insert(row);
    ASSERT_TRUE(run(sandboxes().update(row.id, sandbox_state::paused, "{}", "", std::nullopt)).has_value());
    const auto alive = *run(sandboxes().alive());
    ASSERT_EQ(alive.size(), 1U);
    EXPECT_EQ(alive.front().holder, row.holder);
    EXPECT_EQ(alive.front().spec, row.spec);
    EXPECT_EQ(alive.front().labels, row.labels);
    EXPECT_EQ(alive.front().expires_at_ms, 9000);
}

TEST_P(SandboxStore, TheSameIdConflictsAndChangesNothing)
{
    insert(sandbox(1));
    auto again = sandbox(1);
    again.runtime = "mock";
    EXPECT_EQ(code_of(run(sandboxes().insert(again))), errc::conflict);
    EXPECT_EQ(run(sandboxes().find(again.id))->runtime, "bubblewrap");
}

TEST_P(SandboxStore, UpdateSetsWhatItNamesOnly)
{
    insert(sandbox(1));
    ASSERT_TRUE(
        run(sandboxes().update(numbered<sandbox_id>(1), sandbox_state::destroyed, "{}", "ended by its execution", 2000)).has_value());
    const auto found = *run(sandboxes().find(numbered<sandbox_id>(1)));
    EXPECT_EQ(found.state, sandbox_state::destroyed);
    EXPECT_EQ(found.runtime_state, "{}");
    EXPECT_EQ(found.cause, "ended by its execution");
    EXPECT_EQ(found.ended_at_ms, 2000);
    EXPECT_EQ(found.runtime, "bubblewrap");
    EXPECT_EQ(found.created_at_ms, 1001);
}

TEST_P(SandboxStore, UnknownIdsAreNotFound)
{
    EXPECT_EQ(code_of(run(sandboxes().find(numbered<sandbox_id>(1)))), errc::not_found);
    EXPECT_EQ(code_of(run(sandboxes().update(numbered<sandbox_id>(1), sandbox_state::running, "", "", std::nullopt))), errc::not_found);
}

TEST_P(SandboxStore, TheLivingAreListedOldestFirst)
{
    constexpr std::array states{sandbox_state::creating, sandbox_state::running, sandbox_state::paused, sandbox_state::stopped,
        sandbox_state::destroyed, sandbox_state::failed, sandbox_state::lost};
    for (int i = 6; i >= 0; --i) {
        auto row = sandbox(i);
        row.state = states[i];
        insert(row);
    }
    std::vector<sandbox_state> alive;
    for (const auto& row : *run(sandboxes().alive()))
        alive.push_back(row.state);
    EXPECT_EQ(alive, (std::vector<sandbox_state>(states.begin(), states.begin() + 4)));
}

TEST_P(SandboxStore, EndsTheLivingOnly)
{
    auto lost = sandbox(2);
    lost.state = sandbox_state::lost;
    lost.cause = "the host rebooted";
    lost.ended_at_ms = 7;
    insert(sandbox(1));
    insert(lost);
    ASSERT_TRUE(run(sandboxes().end(numbered<sandbox_id>(1), "swept", 2000)).has_value());
    const auto found = *run(sandboxes().find(numbered<sandbox_id>(1)));
    EXPECT_EQ(found.state, sandbox_state::destroyed);
    EXPECT_EQ(found.cause, "swept");
    EXPECT_EQ(found.runtime_state, "");
    EXPECT_EQ(found.ended_at_ms, 2000);
    for (int number : {1, 2, 3})
        EXPECT_EQ(code_of(run(sandboxes().end(numbered<sandbox_id>(number), "again", 3000))), errc::not_found) << number;
    EXPECT_EQ(run(sandboxes().find(numbered<sandbox_id>(2)))->cause, "the host rebooted");
}

TEST_P(SandboxStore, ErasesThoseThatEndedBeforeOldestFirst)
{
    for (int i = 1; i <= 5; ++i) {
        auto row = sandbox(i);
        row.state = sandbox_state::destroyed;
        row.ended_at_ms = 100 - i;    // the last made ended first
        insert(row);
    }
    insert(sandbox(6));
    EXPECT_EQ(*run(sandboxes().erase_ended(99, 2)), 2U);
    EXPECT_EQ(code_of(run(sandboxes().find(numbered<sandbox_id>(5)))), errc::not_found);
    EXPECT_EQ(code_of(run(sandboxes().find(numbered<sandbox_id>(4)))), errc::not_found);
    EXPECT_EQ(*run(sandboxes().erase_ended(99, 10)), 2U);
    EXPECT_EQ(*run(sandboxes().erase_ended(99, 10)), 0U);
    EXPECT_TRUE(run(sandboxes().find(numbered<sandbox_id>(1))).has_value()) << "it ended at 99";
    EXPECT_TRUE(run(sandboxes().find(numbered<sandbox_id>(6))).has_value());
}

INSTANTIATE_TEST_SUITE_P(Stores, SandboxStore, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
