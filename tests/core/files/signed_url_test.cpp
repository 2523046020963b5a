#include "adapters/crypto/digest.hpp"
#include "core/files/url_signer.hpp"
#include "tests/support/fake_files.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace caisson {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view resource = "/v1/executions/exe_1/artifacts/a b.txt";
const tenant_id tenant = *tenant_id::parse("ten_00000000000000000000000001");
const tenant_id stranger = *tenant_id::parse("ten_00000000000000000000000002");

query_pairs query_of(const signed_grant& grant)
{
    query_pairs out;
    const auto text = grant_query(grant);
    for (std::size_t at = 0; at < text.size();) {
        const auto end = std::min(text.find('&', at), text.size());
        const auto part = text.substr(at, end - at);
        out.emplace_back(part.substr(0, part.find('=')), part.substr(part.find('=') + 1));
        at = end + 1;
    }
    return out;
}

struct tampering {
    std::string_view name;
    std::function<void(query_pairs&)> change;
};
void PrintTo(const tampering& c, std::ostream* out) { *out << c.name; }

std::string& value_of(query_pairs& query, std::string_view name)
{
    return std::ranges::find(query, name, &std::pair<std::string, std::string>::first)->second;
}

class SignedUrl : public ::testing::TestWithParam<tampering> {
protected:
    signing_key key{7, "a secret of the server", 0, std::nullopt};
};

TEST_P(SignedUrl, IsNoneOnceSomethingIsChanged)
{
    auto query = query_of(sign(key, &hmac_sha256, resource, tenant, 1'700'000'000'000));
    GetParam().change(query);
    const auto grant = parse_grant(query);
    EXPECT_FALSE(grant && is_signed_by(key, &hmac_sha256, resource, *grant));
}

INSTANTIATE_TEST_SUITE_P(Cases, SignedUrl,
    ::testing::Values(tampering{"other_tenant", [](query_pairs& q) { value_of(q, "tenant") = stranger.str(); }},
        tampering{"later_expiry", [](query_pairs& q) { value_of(q, "expires") = "1700000001"; }},
        tampering{"same_expiry_otherwise", [](query_pairs& q) { value_of(q, "expires") = "01700000000"; }},
        tampering{"negative_expiry", [](query_pairs& q) { value_of(q, "expires") = "-1"; }},
        tampering{"no_number", [](query_pairs& q) { value_of(q, "expires") = "never"; }},
        tampering{"other_key", [](query_pairs& q) { value_of(q, "key") = "8"; }},
        tampering{"no_tenant", [](query_pairs& q) { value_of(q, "tenant") = "nobody"; }},
        tampering{"empty_signature", [](query_pairs& q) { value_of(q, "signature") = ""; }},
        tampering{"shorter_signature", [](query_pairs& q) { value_of(q, "signature").pop_back(); }},
        tampering{"another_signature",
            [](query_pairs& q) {
                auto& text = value_of(q, "signature");
                text.front() = text.front() == 'A' ? 'B' : 'A';
            }},
        tampering{"signature_twice", [](query_pairs& q) { q.emplace_back("signature", value_of(q, "signature")); }},
        tampering{"no_expiry", [](query_pairs& q) { std::erase_if(q, [](const auto& each) { return each.first == "expires"; }); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SignedUrlText, IsGoodForOneResourceAndOneKey)
{
    const signing_key key{1, "one", 0, std::nullopt};
    const auto grant = parse_grant(query_of(sign(key, &hmac_sha256, resource, tenant, 5'999)));
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->expires_at_ms, 5'000);
    EXPECT_EQ(grant->tenant, tenant);
    EXPECT_TRUE(is_signed_by(key, &hmac_sha256, resource, *grant));
    EXPECT_FALSE(is_signed_by(key, &hmac_sha256, "/v1/executions/exe_1/artifacts/a b.tx", *grant));
    EXPECT_FALSE(is_signed_by({1, "two", 0, std::nullopt}, &hmac_sha256, resource, *grant));
    EXPECT_TRUE(has_grant({{"signature", ""}}));
    EXPECT_FALSE(has_grant({{"expires", "1"}}));
}

class UrlSigner : public ::testing::Test {
protected:
    signing_key key() { return testing::run_task(context, signer.current()).value(); }
    result<tenant_id> check(const signed_grant& grant, std::string_view what = resource)
    {
        return testing::run_task(context, signer.check(std::string(what), query_of(grant)));
    }
    std::string refusal(const signed_grant& grant, std::string_view what = resource)
    {
        const auto checked = check(grant, what);
        return checked.has_value() ? "" : checked.error().code == errc::forbidden ? checked.error().detail : "another error";
    }

    asio::io_context context;
    testing::fake_timers time{context.get_executor(), 1'700'000'000'000};
    testing::fake_signing_key_store store;
    null_logger log;
    url_signer signer{store, time, log, &hmac_sha256, {1h, 24h}};
};

TEST_F(UrlSigner, LetsInWhoHoldsAnAddress)
{
    const auto grant = signer.grant(key(), resource, tenant);
    EXPECT_EQ(check(grant).value(), tenant);
    EXPECT_NE(refusal(grant, "/v1/executions/exe_2/files").find("not signed by this server for this file"), std::string::npos);
}

TEST_F(UrlSigner, SaysWhenAnAddressExpired)
{
    const auto grant = signer.grant(key(), resource, tenant);
    time.advance(1h - 1s);
    EXPECT_EQ(refusal(grant), "");
    time.advance(1s);
    EXPECT_NE(refusal(grant).find("expired at 2023-11-14T23:13:20.000Z"), std::string::npos);
}

TEST_F(UrlSigner, ChangesTheKeyDailyAndHonoursTheOldOne)
{
    const auto first = key();
    time.advance(24h - 1s);
    EXPECT_EQ(key().id, first.id);
    const auto grant = signer.grant(key(), resource, tenant);
    time.advance(1s);
    EXPECT_NE(key().id, first.id);
    EXPECT_EQ(refusal(grant), "");
}

TEST_F(UrlSigner, ForgetsAKeyOnceAllThatItSignedExpired)
{
    const auto first = key();
    for (int day = 0; day < 4; ++day) {
        time.advance(24h);
        key();
    }
    const auto kept = testing::run_task(context, store.list()).value();
    EXPECT_TRUE(std::ranges::none_of(kept, [&](const auto& each) { return each.id == first.id; }));
    EXPECT_LE(kept.size(), 3u);
}

TEST_F(UrlSigner, KeysOutliveTheServer)
{
    const auto grant = signer.grant(key(), resource, tenant);
    url_signer next(store, time, log, &hmac_sha256, {1h, 24h});
    EXPECT_EQ(testing::run_task(context, next.check(std::string(resource), query_of(grant))).value(), tenant);
    EXPECT_EQ(testing::run_task(context, next.current()).value().id, grant.key);
}

TEST_F(UrlSigner, SaysWhatTheStoreSays)
{
    store.fail_next({errc::runtime_unavailable, "the disk is full"});
    EXPECT_EQ(testing::run_task(context, signer.current()).error().detail, "the disk is full");
    EXPECT_GT(key().id, 0);
}

struct rotation_case {
    std::string_view name;
    std::size_t passing;    // calls of the store before the one that fails
    bool throws;
};
void PrintTo(const rotation_case& c, std::ostream* out) { *out << c.name; }

class UrlSignerRotation : public UrlSigner, public ::testing::WithParamInterface<rotation_case> { };

TEST_P(UrlSignerRotation, ThatFailsKeepsAKeyAndComesLater)
{
    const auto first = key();
    time.advance(24h);
    store.let_pass(GetParam().passing);
    if (GetParam().throws)
        store.throw_next("the disk is broken");
    else
        store.fail_next({errc::runtime_unavailable, "the disk is full"});
    const auto grant = signer.grant(key(), resource, tenant);
    EXPECT_EQ(refusal(grant), "");
    const auto calls = store.calls();
    time.advance(59s);
    EXPECT_EQ(key().id, grant.key);
    EXPECT_EQ(store.calls(), calls) << "not with each request";
    time.advance(1s);
    EXPECT_NE(key().id, first.id);
    EXPECT_EQ(refusal(grant), "");
    const auto second = key().id;
    time.advance(24h);
    EXPECT_NE(key().id, second) << "and daily from then on";
}

INSTANTIATE_TEST_SUITE_P(Cases, UrlSignerRotation,
    ::testing::Values(rotation_case{"full_disk", 0, false}, rotation_case{"broken_disk", 0, true}, rotation_case{"old_keys_stay", 1, false},
        rotation_case{"list_is_not_read", 2, true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(UrlSigner, RefusesWhatIsNoSignature)
{
    const auto checked = testing::run_task(context, signer.check(std::string(resource), {{"signature", "x"}}));
    EXPECT_EQ(checked.error().code, errc::forbidden);
}

}    // namespace
}    // namespace caisson
