#include "core/auth/auth_service.hpp"

#include "core/auth/key_text.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>

namespace caisson {
namespace {

using caisson::testing::run_task;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::StartsWith;

/// Not a hash, but different texts stay different.
std::string fake_digest(std::string_view text) { return "hash:" + std::string(text); }

class AuthService : public ::testing::Test {
protected:
    issued_key make(std::string tenant, std::vector<scope> scopes = {scope::run}, std::optional<std::int64_t> expires = std::nullopt)
    {
        return run_task(io_, auth_.create_key(std::move(tenant), std::move(scopes), expires)).value();
    }
    result<principal> present(const std::string& text) { return run_task(io_, auth_.authenticate(text)); }
    result<principal> present(const issued_key& key) { return present(std::string(key.text.reveal())); }

    asio::io_context io_;
    caisson::testing::fake_timers time_{io_.get_executor()};
    caisson::testing::fake_key_store store_;
    auth_service auth_{store_, time_, &fake_digest};
};

TEST_F(AuthService, AcceptsItsOwnKey)
{
    const auto key = make("acme", {scope::run, scope::read});
    const auto who = present(key);
    ASSERT_TRUE(who.has_value()) << who.error().detail;
    EXPECT_EQ(who->tenant, key.row.tenant);
    EXPECT_EQ(who->tenant_name, "acme");
    EXPECT_EQ(who->key, key.row.id);
    EXPECT_THAT(who->scopes, ElementsAre(scope::run, scope::read));
}

TEST_F(AuthService, KeepsAHashAndAHintOnly)
{
    const auto key = make("acme");
    const auto rows = run_task(io_, auth_.list_keys("acme")).value();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].hash, fake_digest(key.text.reveal()));
    EXPECT_EQ(rows[0].hint, key.text.reveal().substr(key.text.reveal().size() - 4));
}

TEST_F(AuthService, OneTenantForOneName)
{
    EXPECT_EQ(make("acme").row.tenant, make("acme").row.tenant);
    EXPECT_NE(make("acme").row.tenant, make("other").row.tenant);
}

struct presented_case {
    std::string_view name;
    std::string text;
};
class AuthServiceRefuses : public AuthService, public ::testing::WithParamInterface<presented_case> { };

TEST_P(AuthServiceRefuses, WithoutAskingTheStore)
{
    const auto before = store_.calls();
    const auto who = present(GetParam().text);
    ASSERT_TRUE(who.has_error());
    EXPECT_EQ(who.error().code, errc::unauthorized);
    EXPECT_EQ(store_.calls(), before);
}

INSTANTIATE_TEST_SUITE_P(Malformed, AuthServiceRefuses,
    ::testing::Values(presented_case{"empty", ""}, presented_case{"prefix_only", "csn_"},
        presented_case{"other_prefix", "sk_" + std::string(44, 'a')}, presented_case{"too_short", "csn_" + std::string(42, 'a')},
        presented_case{"too_long", "csn_" + std::string(44, 'a')}, presented_case{"huge", std::string(1 << 20, 'a')},
        presented_case{"odd_letter", "csn_" + std::string(42, 'a') + "-"}, presented_case{"nul", "csn_" + std::string(43, '\0')}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(AuthService, RefusesAnUnknownKeyInTheWordsForAMalformedOne)
{
    const auto unknown = present("csn_" + std::string(43, 'a'));
    ASSERT_TRUE(unknown.has_error());
    EXPECT_EQ(unknown.error().code, errc::unauthorized);
    EXPECT_EQ(unknown.error().detail, present("x").error().detail);
    EXPECT_THAT(unknown.error().detail, StartsWith("invalid or revoked API key"));
}

TEST_F(AuthService, RefusesAnExpiredKeyAlsoFromTheCache)
{
    const auto key = make("acme", {scope::run}, time_.now_ms() + 2'000);
    ASSERT_TRUE(present(key).has_value());
    time_.advance(milliseconds(1'999));
    EXPECT_TRUE(present(key).has_value());
    time_.advance(milliseconds(1));
    const auto late = present(key);
    ASSERT_TRUE(late.has_error());
    EXPECT_EQ(late.error().code, errc::unauthorized);
    EXPECT_THAT(late.error().detail, StartsWith("invalid or revoked API key: it expired at "));
}

TEST_F(AuthService, RefusesARevokedKeyAtOnce)
{
    const auto key = make("acme");
    ASSERT_TRUE(present(key).has_value());
    ASSERT_TRUE(run_task(io_, auth_.revoke_key(key.row.id)).has_value());
    const auto after = present(key);
    ASSERT_TRUE(after.has_error());
    EXPECT_EQ(after.error().detail, "invalid or revoked API key: it was revoked");
}

TEST_F(AuthService, SeesARevocationByAnotherProcessWithinFiveSeconds)
{
    const auto key = make("acme");
    ASSERT_TRUE(present(key).has_value());
    ASSERT_TRUE(run_task(io_, store_.revoke_key(key.row.id, time_.now_ms())).has_value());
    time_.advance(milliseconds(4'999));
    EXPECT_TRUE(present(key).has_value()) << "from the cache";
    time_.advance(milliseconds(1));
    EXPECT_TRUE(present(key).has_error());
}

TEST_F(AuthService, RevokingAnUnknownKeyIsNotFound)
{
    const auto revoked = run_task(io_, auth_.revoke_key(key_id::from_trusted("key_00000000000000000000000000")));
    ASSERT_TRUE(revoked.has_error());
    EXPECT_EQ(revoked.error().code, errc::not_found);
}

TEST_F(AuthService, AsksTheStoreOncePerKeyAndLifetime)
{
    const auto key = make("acme");
    ASSERT_TRUE(present(key).has_value());
    const auto before = store_.calls();
    ASSERT_TRUE(present(key).has_value());
    EXPECT_EQ(store_.calls(), before);
    time_.advance(seconds(5));
    ASSERT_TRUE(present(key).has_value());
    EXPECT_EQ(store_.calls(), before + 1);
}

TEST_F(AuthService, NotesTheLastUseOnceAMinute)
{
    const auto key = make("acme");
    const auto last_use = [&] { return run_task(io_, store_.list_keys("acme")).value().at(0).last_used_at_ms; };
    EXPECT_EQ(last_use(), std::nullopt);
    ASSERT_TRUE(present(key).has_value());
    const auto first = time_.now_ms();
    EXPECT_EQ(last_use(), first);
    time_.advance(seconds(59));
    ASSERT_TRUE(present(key).has_value());
    EXPECT_EQ(last_use(), first);
    time_.advance(seconds(1));
    ASSERT_TRUE(present(key).has_value());
    EXPECT_EQ(last_use(), first + 60'000);
}

TEST_F(AuthService, AUseThatCannotBeNotedIsStillAllowed)
{
    auth_service patient(store_, time_, &fake_digest, {.cache_lifetime = std::chrono::hours(1)});
    const auto key = make("acme");
    const std::string text(key.text.reveal());
    ASSERT_TRUE(run_task(io_, patient.authenticate(text)).has_value());
    time_.advance(seconds(61));
    store_.fail_next({errc::internal, "disk"});    // meets touch_key, since the row is cached
    const auto before = store_.calls();
    EXPECT_TRUE(run_task(io_, patient.authenticate(text)).has_value());
    EXPECT_EQ(store_.calls(), before + 1);
}

TEST_F(AuthService, PassesOnWhatIsWrongWithTheStore)
{
    const auto key = make("acme");
    store_.fail_next({errc::internal, "disk"});
    const auto who = present(key);
    ASSERT_TRUE(who.has_error());
    EXPECT_EQ(who.error().code, errc::internal);
    EXPECT_TRUE(present(key).has_value()) << "the failure is not cached";
}

TEST_F(AuthService, TheCacheIsBounded)
{
    auth_service small(store_, time_, &fake_digest, {.max_cached = 2});
    std::vector<issued_key> keys;
    for (int i = 0; i < 3; ++i)
        keys.push_back(make("acme"));
    const auto ask = [&](std::size_t i) {
        const auto before = store_.calls();
        EXPECT_TRUE(run_task(io_, small.authenticate(std::string(keys[i].text.reveal()))).has_value());
        return store_.calls() - before;
    };
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_GT(ask(i), 0u);
        time_.advance(milliseconds(1));
    }
    EXPECT_EQ(ask(2), 0u);
    EXPECT_GT(ask(0), 0u) << "the oldest had to go";
}

struct creation_case {
    std::string_view name;
    std::string tenant;
    std::vector<scope> scopes;
    std::optional<std::int64_t> expires_in_ms;
    std::string_view field;    // that is refused
};
class AuthServiceCreate : public AuthService, public ::testing::WithParamInterface<creation_case> { };

TEST_P(AuthServiceCreate, RefusesByField)
{
    const auto& c = GetParam();
    std::optional<std::int64_t> expires;
    if (c.expires_in_ms)
        expires = time_.now_ms() + *c.expires_in_ms;
    const auto made = run_task(io_, auth_.create_key(c.tenant, c.scopes, expires));
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::bad_request);
    ASSERT_EQ(made.error().fields.size(), 1u);
    EXPECT_EQ(made.error().fields[0].field, c.field);
    EXPECT_EQ(store_.calls(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Cases, AuthServiceCreate,
    ::testing::Values(creation_case{"empty_name", "", {scope::run}, {}, "tenant"},
        creation_case{"long_name", std::string(65, 'a'), {scope::run}, {}, "tenant"},
        creation_case{"slash", "a/b", {scope::run}, {}, "tenant"}, creation_case{"line_feed", "a\nb", {scope::run}, {}, "tenant"},
        creation_case{"no_scopes", "acme", {}, {}, "scopes"}, creation_case{"past", "acme", {scope::run}, -1, "expires_at"},
        creation_case{"now", "acme", {scope::run}, 0, "expires_at"}),
    [](const auto& info) { return std::string(info.param.name); });

struct scope_case {
    std::string_view name;
    std::vector<scope> held;
    scope wanted;
    bool want;
};
class Scopes : public ::testing::TestWithParam<scope_case> { };
TEST_P(Scopes, Allow) { EXPECT_EQ(allows(GetParam().held, GetParam().wanted), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, Scopes,
    ::testing::Values(scope_case{"none", {}, scope::read, false}, scope_case{"same", {scope::read}, scope::read, true},
        scope_case{"run_is_not_read", {scope::run}, scope::read, false}, scope_case{"read_is_not_run", {scope::read}, scope::run, false},
        scope_case{"admin_runs", {scope::admin}, scope::run, true}, scope_case{"admin_reads", {scope::admin}, scope::read, true},
        scope_case{"run_and_read_are_not_admin", {scope::run, scope::read}, scope::admin, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ScopeNames, ThereAndBack)
{
    for (const auto one : {scope::run, scope::read, scope::admin})
        EXPECT_EQ(scope_from(to_string(one)), one);
    EXPECT_EQ(scope_from("write"), std::nullopt);
}

}    // namespace
}    // namespace caisson
