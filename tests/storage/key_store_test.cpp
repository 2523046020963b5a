#include "tests/storage/store_contract.hpp"

namespace caisson::testing {

namespace {

class KeyStore : public StoreContract {
protected:
    tenant_id tenant(const std::string& name, int number) { return *run(keys().ensure_tenant(name, numbered<tenant_id>(number), 1000)); }
    api_key_row key(int number, const tenant_id& owner)
    {
        api_key_row row;
        row.id = numbered<key_id>(number);
        row.tenant = owner;
        row.hash = "hash-" + std::to_string(number);
        row.hint = "abcd";
        row.scopes = {scope::run, scope::read};
        row.created_at_ms = 1000 + number;
        return row;
    }
    std::vector<std::string> listed(std::optional<std::string> name)
    {
        std::vector<std::string> hashes;
        for (const auto& row : *run(keys().list_keys(name)))
            hashes.push_back(row.tenant_name + "/" + row.hash);
        return hashes;
    }
};

TEST_P(KeyStore, ATenantIsMadeOnce)
{
    EXPECT_EQ(tenant("acme", 1), numbered<tenant_id>(1));
    EXPECT_EQ(tenant("acme", 2), numbered<tenant_id>(1));
    EXPECT_EQ(tenant("Acme", 3), numbered<tenant_id>(3)) << "names are compared exactly";
}

TEST_P(KeyStore, FindsAKeyByItsHashWithAllThatWasInserted)
{
    auto row = key(1, tenant("acme", 1));
    row.scopes = {scope::admin};
    row.expires_at_ms = 5000;
    ASSERT_TRUE(run(keys().insert_key(row)).has_value());
    const auto found = *run(keys().find_key("hash-1"));
    EXPECT_EQ(found.id, row.id);
    EXPECT_EQ(found.tenant, row.tenant);
    EXPECT_EQ(found.tenant_name, "acme");
    EXPECT_EQ(found.hash, "hash-1");
    EXPECT_EQ(found.hint, "abcd");
    EXPECT_EQ(found.scopes, row.scopes);
    EXPECT_EQ(found.created_at_ms, 1001);
    EXPECT_EQ(found.expires_at_ms, 5000);
    EXPECT_EQ(found.last_used_at_ms, std::nullopt);
    EXPECT_EQ(found.revoked_at_ms, std::nullopt);
}

TEST_P(KeyStore, AnUnknownHashIsNotFound) { EXPECT_EQ(code_of(run(keys().find_key("hash-1"))), errc::not_found); }

TEST_P(KeyStore, TheSameIdOrHashConflicts)
{
    const auto owner = tenant("acme", 1);
    ASSERT_TRUE(run(keys().insert_key(key(1, owner))).has_value());
    auto same_id = key(2, owner);
    same_id.id = numbered<key_id>(1);
    EXPECT_EQ(code_of(run(keys().insert_key(same_id))), errc::conflict);
    auto same_hash = key(3, owner);
    same_hash.hash = "hash-1";
    EXPECT_EQ(code_of(run(keys().insert_key(same_hash))), errc::conflict);
    EXPECT_EQ(listed(std::nullopt).size(), 1u);
}

TEST_P(KeyStore, AKeyOfAnUnknownTenantIsNotFound)
{
    EXPECT_EQ(code_of(run(keys().insert_key(key(1, numbered<tenant_id>(9))))), errc::not_found);
}

TEST_P(KeyStore, ListsOldestFirstAllOrOneTenants)
{
    const auto acme = tenant("acme", 1);
    const auto zeta = tenant("zeta", 2);
    for (const auto& row : {key(3, acme), key(1, zeta), key(2, acme)})
        ASSERT_TRUE(run(keys().insert_key(row)).has_value());
    EXPECT_EQ(listed(std::nullopt), (std::vector<std::string>{"zeta/hash-1", "acme/hash-2", "acme/hash-3"}));
    EXPECT_EQ(listed("acme"), (std::vector<std::string>{"acme/hash-2", "acme/hash-3"}));
    EXPECT_EQ(listed("nobody"), std::vector<std::string>());
}

TEST_P(KeyStore, CountsTheTenantsThatHaveAGoodKey)
{
    const auto count = [&](std::int64_t now_ms, std::size_t most) { return run(keys().count_tenants(now_ms, most)).value(); };
    EXPECT_EQ(count(0, 9), 0u);
    const auto acme = tenant("acme", 1);
    auto expiring = key(3, tenant("zeta", 2));
    expiring.expires_at_ms = 5000;
    for (const auto& row : {key(1, acme), key(2, acme), expiring, key(4, tenant("gone", 3))})
        ASSERT_TRUE(run(keys().insert_key(row)).has_value());
    EXPECT_EQ(count(4999, 9), 3u);
    EXPECT_EQ(count(4999, 2), 2u);
    EXPECT_EQ(count(5000, 9), 2u);
    ASSERT_TRUE(run(keys().revoke_key(numbered<key_id>(4), 7000)).has_value());
    EXPECT_EQ(count(5000, 9), 1u);
}

TEST_P(KeyStore, RevokingTwiceKeepsTheFirstTime)
{
    ASSERT_TRUE(run(keys().insert_key(key(1, tenant("acme", 1)))).has_value());
    ASSERT_TRUE(run(keys().revoke_key(numbered<key_id>(1), 7000)).has_value());
    ASSERT_TRUE(run(keys().revoke_key(numbered<key_id>(1), 8000)).has_value());
    EXPECT_EQ(run(keys().find_key("hash-1"))->revoked_at_ms, 7000);
    EXPECT_EQ(run(keys().find_key_by_id(numbered<key_id>(1)))->revoked_at_ms, 7000);
    EXPECT_EQ(code_of(run(keys().find_key_by_id(numbered<key_id>(2)))), errc::not_found);
    EXPECT_EQ(code_of(run(keys().revoke_key(numbered<key_id>(2), 7000))), errc::not_found);
}

TEST_P(KeyStore, AUseIsSeenAtOnceAndNeverGoesBack)
{
    ASSERT_TRUE(run(keys().insert_key(key(1, tenant("acme", 1)))).has_value());
    ASSERT_TRUE(run(keys().touch_key(numbered<key_id>(1), 9000)).has_value());
    ASSERT_TRUE(run(keys().touch_key(numbered<key_id>(1), 8000)).has_value());
    EXPECT_EQ(run(keys().find_key("hash-1"))->last_used_at_ms, 9000);
    EXPECT_EQ(run(keys().list_keys(std::nullopt))->front().last_used_at_ms, 9000);
    EXPECT_TRUE(run(keys().touch_key(numbered<key_id>(2), 9000)).has_value()) << "an unknown key is no error";
}

INSTANTIATE_TEST_SUITE_P(Stores, KeyStore, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
