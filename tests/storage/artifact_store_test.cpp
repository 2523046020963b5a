#include "tests/storage/artifact_rows.hpp"
#include "tests/storage/execution_rows.hpp"

#include <gmock/gmock.h>

namespace caisson::testing {

namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class ArtifactContract : public StoreContract {
protected:
    /// Ends execution `number` with what it left.
    result<void> finish(int number, std::vector<artifact_row> artifacts)
    {
        EXPECT_TRUE(run(executions().insert(execution(number), {})).has_value());
        return run(executions().finish({full_execution(number), std::move(artifacts)}));
    }
    std::vector<std::string> paths(int number, std::string after = "", std::size_t limit = 100)
    {
        std::vector<std::string> all;
        for (const auto& each : *run(artifacts().list(tenant_, numbered<execution_id>(number), std::move(after), limit)))
            all.push_back(each.path);
        return all;
    }
    std::pair<std::int64_t, std::int64_t> usage(const tenant_id& tenant)
    {
        const auto found = *run(artifacts().usage(tenant));
        return {found.artifacts, found.artifact_bytes};
    }
    static content_id content(int number) { return numbered<content_id>(number); }

    const tenant_id tenant_ = numbered<tenant_id>(1);
    const tenant_id other_ = numbered<tenant_id>(2);
};

TEST_P(ArtifactContract, ComeWithTheEndOfTheirExecution)
{
    auto full = artifact(1, "out/\"q\"\n\xff.bin", 1, 77);
    full.partial = true;
    full.expires_at_ms = 9000;
    ASSERT_TRUE(finish(1, {full, artifact(1, "a", 2)}).has_value());
    EXPECT_EQ(run(executions().find(tenant_, numbered<execution_id>(1)))->status, execution_status::timeout);
    const auto found = *run(artifacts().find(tenant_, numbered<execution_id>(1), full.path));
    EXPECT_EQ(found.execution, full.execution);
    EXPECT_EQ(found.tenant, full.tenant);
    EXPECT_EQ(found.path, full.path);
    EXPECT_EQ(found.size_bytes, 77);
    EXPECT_EQ(found.sha256, full.sha256);
    EXPECT_EQ(found.media_type, "text/plain");
    EXPECT_EQ(found.mode, 0640u);
    EXPECT_EQ(found.content, content(1));
    EXPECT_TRUE(found.partial);
    EXPECT_EQ(found.created_at_ms, 5001);
    EXPECT_EQ(found.expires_at_ms, 9000);
    EXPECT_EQ(run(artifacts().find(tenant_, numbered<execution_id>(1), "a"))->expires_at_ms, std::nullopt);
}

TEST_P(ArtifactContract, AnEndThatIsRefusedLeavesNone)
{
    ASSERT_TRUE(finish(1, {}).has_value());
    EXPECT_EQ(code_of(run(executions().finish({full_execution(1), {artifact(1, "a", 1)}}))), errc::conflict);
    EXPECT_EQ(code_of(run(executions().finish({full_execution(2), {artifact(2, "a", 2)}}))), errc::not_found);
    EXPECT_EQ(paths(1), std::vector<std::string>());
    EXPECT_EQ(usage(tenant_), std::pair(0L, 0L));
}

TEST_P(ArtifactContract, OfTwoWithOnePathTheFirstCounts)
{
    ASSERT_TRUE(finish(1, {artifact(1, "a", 1, 3), artifact(1, "a", 2, 5)}).has_value());
    EXPECT_EQ(run(artifacts().find(tenant_, numbered<execution_id>(1), "a"))->content, content(1));
    EXPECT_EQ(usage(tenant_), std::pair(1L, 3L));
}

TEST_P(ArtifactContract, AreListedByPathInPages)
{
    ASSERT_TRUE(finish(1, {artifact(1, "b", 1), artifact(1, "a/z", 2), artifact(1, "B", 3), artifact(1, "a", 4)}).has_value());
    ASSERT_TRUE(finish(2, {artifact(2, "other", 5)}).has_value());
    EXPECT_THAT(paths(1), ElementsAre("B", "a", "a/z", "b"));
    EXPECT_THAT(paths(1, "", 2), ElementsAre("B", "a"));
    EXPECT_THAT(paths(1, "a", 2), ElementsAre("a/z", "b"));
    EXPECT_THAT(paths(1, "b", 2), ElementsAre());
    EXPECT_THAT(*run(artifacts().paths(tenant_, numbered<execution_id>(1), 100)), ElementsAre("B", "a", "a/z", "b"));
    EXPECT_THAT(*run(artifacts().paths(tenant_, numbered<execution_id>(1), 2)), ElementsAre("B", "a"));
}

TEST_P(ArtifactContract, OfAnotherTenantAreNotThere)
{
    ASSERT_TRUE(finish(1, {artifact(1, "a", 1)}).has_value());
    const auto id = numbered<execution_id>(1);
    EXPECT_TRUE(run(artifacts().list(other_, id, "", 10))->empty());
    EXPECT_TRUE(run(artifacts().paths(other_, id, 10))->empty());
    EXPECT_EQ(code_of(run(artifacts().find(other_, id, "a"))), errc::not_found);
    EXPECT_EQ(code_of(run(artifacts().erase(other_, id, "a"))), errc::not_found);
    EXPECT_TRUE(run(artifacts().erase_all(other_, id, 10))->empty());
    EXPECT_EQ(usage(other_), std::pair(0L, 0L));
    EXPECT_THAT(paths(1), ElementsAre("a"));
}

TEST_P(ArtifactContract, AreErasedOneByOneOrAllOfAnExecution)
{
    ASSERT_TRUE(finish(1, {artifact(1, "a", 1, 1), artifact(1, "b", 2, 2), artifact(1, "c", 3, 4), artifact(1, "d", 4, 8)}).has_value());
    const auto id = numbered<execution_id>(1);
    EXPECT_EQ(*run(artifacts().erase(tenant_, id, "b")), content(2));
    EXPECT_EQ(code_of(run(artifacts().erase(tenant_, id, "b"))), errc::not_found);
    EXPECT_EQ(usage(tenant_), std::pair(3L, 13L));
    EXPECT_THAT(*run(artifacts().erase_all(tenant_, id, 2)), UnorderedElementsAre(content(1), content(3)));
    EXPECT_THAT(*run(artifacts().erase_all(tenant_, id, 2)), ElementsAre(content(4)));
    EXPECT_TRUE(run(artifacts().erase_all(tenant_, id, 2))->empty());
    EXPECT_EQ(usage(tenant_), std::pair(0L, 0L));
    EXPECT_TRUE(run(artifacts().tenants())->empty());
}

TEST_P(ArtifactContract, GoWithTheirExecution)
{
    ASSERT_TRUE(finish(1, {artifact(1, "a", 1), artifact(1, "b", 2)}).has_value());
    ASSERT_TRUE(finish(2, {artifact(2, "a", 3)}).has_value());
    EXPECT_THAT(run(executions().erase(tenant_, numbered<execution_id>(1)))->contents, UnorderedElementsAre(content(1), content(2)));
    EXPECT_TRUE(paths(1).empty());
    EXPECT_THAT(paths(2), ElementsAre("a"));
    EXPECT_EQ(usage(tenant_), std::pair(1L, 10L));
}

TEST_P(ArtifactContract, ThatExpiredGoTheOldestFirst)
{
    const auto expiring = [](int of, std::string path, int number, std::int64_t at_ms) {
        auto row = artifact(of, std::move(path), number);
        row.expires_at_ms = at_ms;
        return row;
    };
    ASSERT_TRUE(finish(1, {expiring(1, "a", 1, 300), expiring(1, "b", 2, 100), expiring(1, "c", 3, 200), artifact(1, "d", 4)}).has_value());
    EXPECT_TRUE(run(artifacts().erase_expired(99, 10))->empty());
    EXPECT_THAT(*run(artifacts().erase_expired(200, 1)), ElementsAre(owned_content{tenant_, content(2)}));
    EXPECT_THAT(*run(artifacts().erase_expired(200, 10)), ElementsAre(owned_content{tenant_, content(3)}));
    EXPECT_THAT(paths(1), ElementsAre("a", "d"));
}

TEST_P(ArtifactContract, BeyondABoundGoTheOldestFirst)
{
    for (int i = 3; i >= 1; --i)    // the ids' order is that of time
        ASSERT_TRUE(finish(i, {artifact(i, "a", 10 * i, 100), artifact(i, "b", 10 * i + 1, 100)}).has_value());
    EXPECT_TRUE(run(artifacts().erase_beyond(tenant_, 600, 10))->empty());
    EXPECT_TRUE(run(artifacts().erase_beyond(other_, 0, 10))->empty());
    EXPECT_THAT(*run(artifacts().erase_beyond(tenant_, 450, 1)), ElementsAre(content(10)));
    EXPECT_THAT(*run(artifacts().erase_beyond(tenant_, 450, 10)), ElementsAre(content(11)));
    EXPECT_EQ(usage(tenant_), std::pair(4L, 400L));
    EXPECT_THAT(*run(artifacts().tenants()), ElementsAre(tenant_));
}

TEST_P(ArtifactContract, NameTheirContents)
{
    ASSERT_TRUE(finish(1, {artifact(1, "a", 1), artifact(1, "b", 3)}).has_value());
    EXPECT_THAT(*run(artifacts().named({content(1), content(2), content(3), content(4)})), ElementsAre(content(1), content(3)));
    EXPECT_TRUE(run(artifacts().named({}))->empty());
}

TEST_P(ArtifactContract, TenThousandComeInOneEnd)
{
    std::vector<artifact_row> many;
    for (int i = 0; i < 10'000; ++i)
        many.push_back(artifact(1, "file-" + std::to_string(i), i, 1));
    ASSERT_TRUE(finish(1, std::move(many)).has_value());
    EXPECT_EQ(usage(tenant_), std::pair(10'000L, 10'000L));
    EXPECT_EQ(run(executions().erase(tenant_, numbered<execution_id>(1)))->contents.size(), 10'000u);
    EXPECT_EQ(usage(tenant_), std::pair(0L, 0L));
}

INSTANTIATE_TEST_SUITE_P(Stores, ArtifactContract, store_kinds(), kind_name);

class SigningKeyContract : public StoreContract { };

TEST_P(SigningKeyContract, TheFirstIsMadeAndStays)
{
    const std::string secret("\x00\xff raw", 6);
    const auto made = *run(signing_keys().current(secret, 100));
    EXPECT_EQ(made.secret, secret);
    EXPECT_EQ(made.created_at_ms, 100);
    const auto again = *run(signing_keys().current("another", 200));
    EXPECT_EQ(again.id, made.id);
    EXPECT_EQ(again.secret, secret);
    EXPECT_EQ(again.retired_at_ms, std::nullopt);
}

TEST_P(SigningKeyContract, RotatingRetiresTheOneBefore)
{
    const auto first = *run(signing_keys().current("one", 100));
    const auto second = *run(signing_keys().rotate("two", 200));
    EXPECT_GT(second.id, first.id);
    EXPECT_EQ(run(signing_keys().current("three", 300))->secret, "two");
    const auto all = *run(signing_keys().list());
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].id, second.id);
    EXPECT_EQ(all[1].secret, "one");
    EXPECT_EQ(all[1].retired_at_ms, 200);
}

TEST_P(SigningKeyContract, RetiredOnesAreForgottenAndTheirNumbersStayUsed)
{
    run(signing_keys().current("one", 100));
    run(signing_keys().rotate("two", 200));
    run(signing_keys().rotate("three", 300));
    EXPECT_EQ(*run(signing_keys().erase_retired(300)), 1u);
    EXPECT_EQ(run(signing_keys().list())->size(), 2u);
    EXPECT_EQ(*run(signing_keys().erase_retired(1000)), 1u);
    EXPECT_EQ(run(signing_keys().current("four", 400))->secret, "three");
    EXPECT_EQ(run(signing_keys().rotate("five", 500))->id, 4);
}

INSTANTIATE_TEST_SUITE_P(Stores, SigningKeyContract, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
