#include "tests/storage/execution_rows.hpp"

namespace caisson::testing {

namespace {

class UsedKeys : public StoreContract {
protected:
    static constexpr std::size_t many = 100;
    static idempotency_record key(int number, const std::string& text = "k", int tenant = 1)
    {
        return {numbered<tenant_id>(tenant), {"POST /x", text, "f1"}, numbered<execution_id>(number), 1'000, 2'000};
    }
    result<void> insert(int number, idempotency_record record, std::size_t most = many)
    {
        auto row = execution(number);
        row.tenant = record.tenant;
        return run(executions().insert_with_key(row, {}, std::move(record), most));
    }
    result<idempotency_record> find(const std::string& text, int tenant = 1, const std::string& route = "POST /x")
    {
        return run(executions().find_key(numbered<tenant_id>(tenant), route, text));
    }
    bool has_execution(int number) { return run(executions().find(numbered<tenant_id>(1), numbered<execution_id>(number))).has_value(); }
};

TEST_P(UsedKeys, AreFoundAsTheyWereUsed)
{
    ASSERT_TRUE(insert(1, key(1)).has_value());
    const auto found = find("k").value();
    EXPECT_EQ(found.tenant, numbered<tenant_id>(1));
    EXPECT_EQ(found.claim.route, "POST /x");
    EXPECT_EQ(found.claim.key, "k");
    EXPECT_EQ(found.claim.fingerprint, "f1");
    EXPECT_EQ(found.execution, numbered<execution_id>(1));
    EXPECT_EQ(found.created_at_ms, 1'000);
    EXPECT_EQ(found.expires_at_ms, 2'000);
    EXPECT_TRUE(has_execution(1));
}

TEST_P(UsedKeys, AreApartByTenantRouteAndText)
{
    ASSERT_TRUE(insert(1, key(1)).has_value());
    EXPECT_EQ(code_of(find("k", 2)), errc::not_found);
    EXPECT_EQ(code_of(find("k", 1, "POST /y")), errc::not_found);
    EXPECT_EQ(code_of(find("K")), errc::not_found);
    EXPECT_TRUE(insert(2, key(2, "k", 2)).has_value());
}

TEST_P(UsedKeys, AKeyInUseConflictsAndNothingIsRecorded)
{
    ASSERT_TRUE(insert(1, key(1)).has_value());
    EXPECT_EQ(code_of(insert(2, key(2))), errc::conflict);
    EXPECT_FALSE(has_execution(2));
    EXPECT_EQ(find("k")->execution, numbered<execution_id>(1));
}

TEST_P(UsedKeys, AnExecutionThatExistsUsesNoKey)
{
    ASSERT_TRUE(insert(1, key(1)).has_value());
    EXPECT_EQ(code_of(insert(1, key(1, "other"))), errc::conflict);
    EXPECT_EQ(code_of(find("other")), errc::not_found);
}

TEST_P(UsedKeys, AnExpiredOneMakesRoom)
{
    ASSERT_TRUE(insert(1, key(1)).has_value());
    auto later = key(2);
    later.created_at_ms = 2'000;
    later.expires_at_ms = 3'000;
    ASSERT_TRUE(insert(2, later, 1).has_value()) << "the bound too";
    EXPECT_EQ(find("k")->execution, numbered<execution_id>(2));
}

TEST_P(UsedKeys, AreBoundedForEachTenant)
{
    ASSERT_TRUE(insert(1, key(1, "a"), 2).has_value());
    ASSERT_TRUE(insert(2, key(2, "b"), 2).has_value());
    EXPECT_EQ(code_of(insert(3, key(3, "c"), 2)), errc::quota_exceeded);
    EXPECT_FALSE(has_execution(3));
    EXPECT_TRUE(insert(4, key(4, "c", 2), 2).has_value());
    EXPECT_EQ(*run(executions().erase_expired_keys(2'000, 10)), 3u);
    EXPECT_TRUE(insert(3, key(3, "c"), 2).has_value());
}

TEST_P(UsedKeys, ExpiredOnesAreErasedInBatches)
{
    for (int i = 1; i <= 5; ++i) {
        auto one = key(i, "k" + std::to_string(i));
        one.expires_at_ms = 2'000 + i;
        ASSERT_TRUE(insert(i, one).has_value());
    }
    EXPECT_EQ(*run(executions().erase_expired_keys(2'000, 10)), 0u);
    EXPECT_EQ(*run(executions().erase_expired_keys(2'004, 3)), 3u);
    EXPECT_EQ(code_of(find("k3")), errc::not_found);
    EXPECT_TRUE(find("k4").has_value());
    EXPECT_EQ(*run(executions().erase_expired_keys(2'004, 3)), 1u);
    EXPECT_EQ(*run(executions().erase_expired_keys(2'004, 3)), 0u);
    EXPECT_TRUE(find("k5").has_value());
    EXPECT_TRUE(has_execution(1)) << "executions stay";
}

TEST_P(UsedKeys, OutliveTheirExecution)
{
    auto row = full_execution(1);
    ASSERT_TRUE(run(executions().insert_with_key(row, {}, key(1), many)).has_value());
    ASSERT_TRUE(run(executions().erase(row.tenant, row.id)).has_value());
    EXPECT_EQ(find("k")->execution, row.id);
}

INSTANTIATE_TEST_SUITE_P(Stores, UsedKeys, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
