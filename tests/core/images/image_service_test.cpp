#include "core/images/pull_rules.hpp"
#include "tests/core/images/image_world.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>

namespace caisson::imaging {

using caisson::testing::digest_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(ImageService, WhatTheEngineHasIsUsedAsItIs)
{
    engine_.add("bash:5");
    const auto got = run(service().ensure("bash:5", {}));
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->id, digest_of("bash:5"));
    EXPECT_TRUE(engine_.pulled.empty());
}

TEST_F(ImageService, WhatIsMissingIsFetched)
{
    engine_.registry = {"bash:5"};
    const auto got = run(service().ensure("bash:5", {}));
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(got->id, digest_of("bash:5"));
    EXPECT_THAT(engine_.pulled, ElementsAre("bash:5"));
    EXPECT_EQ(service().pulls(), 0U);
}

TEST_F(ImageService, AllWhoAskForOneImageWaitForOnePullAndSeeHowFarItIs)
{
    engine_.registry = {"bash:5"};
    engine_.pulling.cork();
    engine_.progress = {{2, 0, 10, 100}, {2, 1, 43, 100}};
    std::vector<image_progress> first;
    std::vector<image_progress> second;
    const auto one = begin(service().ensure("bash:5", [&](const image_progress& now) { first.push_back(now); }));
    const auto two = begin(service().ensure("bash:5", [&](const image_progress& now) { second.push_back(now); }));
    EXPECT_FALSE(one->value || two->value);
    ASSERT_FALSE(first.empty());
    ASSERT_FALSE(second.empty());
    EXPECT_EQ(first.back(), (image_progress{2, 1, 43, 100}));
    EXPECT_EQ(second.back(), (image_progress{2, 1, 43, 100}));
    engine_.pulling.uncork();
    turn();
    ASSERT_TRUE(one->value && two->value);
    EXPECT_TRUE(one->value->has_value());
    EXPECT_TRUE(two->value->has_value());
    EXPECT_THAT(engine_.pulled, ElementsAre("bash:5"));
}

TEST_F(ImageService, APullGoesOnWhenOneOfThoseWhoWaitLeaves)
{
    engine_.registry = {"bash:5"};
    engine_.pulling.cork();
    const auto leave = std::make_shared<asio::cancellation_signal>();
    const auto one = begin(service().ensure("bash:5", {}), leave);
    const auto two = begin(service().ensure("bash:5", {}));
    leave->emit(asio::cancellation_type::terminal);
    turn();
    EXPECT_TRUE(one->failure);
    EXPECT_EQ(service().pulls(), 1U);
    engine_.pulling.uncork();
    turn();
    ASSERT_TRUE(two->value);
    EXPECT_TRUE(two->value->has_value());
}

TEST_F(ImageService, OnlySoManyPullsRunAtOnce)
{
    options_.max_pulls = 2;
    engine_.registry = {"a", "b", "c"};
    engine_.pulling.cork();
    const auto a = begin(service().ensure("a", {}));
    const auto b = begin(service().ensure("b", {}));
    const auto c = begin(service().ensure("c", {}));
    EXPECT_THAT(engine_.pulled, ElementsAre("a", "b"));
    EXPECT_EQ(service().pulls(), 3U);
    engine_.pulling.uncork();
    turn();
    EXPECT_THAT(engine_.pulled, ElementsAre("a", "b", "c"));
    EXPECT_EQ(engine_.most_at_once, 2U);
    EXPECT_TRUE(a->value && b->value && c->value);
}

TEST_F(ImageService, AFailedPullIsTriedAnewByTheNextWhoAsks)
{
    engine_.pull_failures["bash:5"] = {errc::forbidden, "denied"};
    const auto refused = run(service().ensure("bash:5", {}));
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::forbidden);
    engine_.pull_failures.clear();
    engine_.registry = {"bash:5"};
    EXPECT_TRUE(run(service().ensure("bash:5", {})).has_value());
}

TEST_F(ImageService, ThatARegistryIsAwayIsNotTheEnginesFault)
{
    engine_.pull_failures["bash:5"] = {errc::runtime_unavailable, "dial tcp: lookup registry.example: no such host"};
    const auto got = run(service().ensure("bash:5", {}));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::image_unavailable);
    EXPECT_THAT(got.error().detail, HasSubstr("no such host"));
}

TEST_F(ImageService, AnEngineThatIsAwaySaysSo)
{
    engine_.is_away = true;
    EXPECT_EQ(run(service().ensure("bash:5", {})).error().code, errc::runtime_unavailable);
    EXPECT_EQ(run(service().list()).error().code, errc::runtime_unavailable);
    EXPECT_EQ(service().pulls(), 0U);
}

TEST_F(ImageService, AnEngineThatGoesAwayWithinAPullSaysSo)
{
    engine_.pulling.cork();
    const auto one = begin(service().ensure("bash:5", {}));
    engine_.is_away = true;
    engine_.pulling.uncork();
    turn();
    ASSERT_TRUE(one->value);
    EXPECT_EQ(one->value->error().code, errc::runtime_unavailable);
}

TEST_F(ImageService, APullThatDoesNotEndIsGivenUp)
{
    options_.pull_timeout = 60s;
    engine_.pulling.cork();
    const auto one = begin(service().ensure("bash:5", {}));
    advance(59s);
    EXPECT_FALSE(one->value);
    advance(2s);
    ASSERT_TRUE(one->value);
    EXPECT_EQ(one->value->error().code, errc::image_unavailable);
    EXPECT_EQ(engine_.at_once, 0U);
}

TEST_F(ImageService, TheEndOfTheServerEndsPullsAndThoseWhoWait)
{
    engine_.pulling.cork();
    const auto one = begin(service().ensure("bash:5", {}));
    run(service().stop());
    turn();
    ASSERT_TRUE(one->value);
    EXPECT_EQ(one->value->error().code, errc::cancelled);
}

TEST_F(ImageService, AnImageThatIsBeingPulledIsNotRemoved)
{
    engine_.pulling.cork();
    const auto one = begin(service().ensure("bash:5", {}));
    EXPECT_EQ(run(service().remove("bash:5")).error().code, errc::conflict);
    engine_.pulling.uncork();
    turn();
    EXPECT_TRUE(one->value);
}

TEST_F(ImageService, WithTheRegistrysLogin)
{
    engine_.registry = {"registry.example/team/app:1", "bash:5"};
    options_.login = [](const std::string& registry) -> result<std::optional<registry_login>> {
        if (registry != "registry.example")
            return std::nullopt;
        return registry_login{"robot", secret("word")};
    };
    EXPECT_TRUE(run(service().ensure("registry.example/team/app:1", {})).has_value());
    EXPECT_TRUE(run(service().ensure("bash:5", {})).has_value());
    EXPECT_THAT(engine_.users, ElementsAre(std::optional<std::string>("robot:word"), std::nullopt));
}

TEST_F(ImageService, ALoginThatCannotBeReadIsToldBeforeAnythingIsPulled)
{
    options_.login = [](const std::string&) -> result<std::optional<registry_login>> {
        return error{errc::image_unavailable, "the password of registry.example cannot be read"};
    };
    EXPECT_EQ(run(service().ensure("bash:5", {})).error().code, errc::image_unavailable);
    EXPECT_TRUE(engine_.pulled.empty());
}

TEST_F(ImageService, WhatIsWantedAtTheStartIsFetchedAndWhatFailsIsLogged)
{
    options_.wanted = {"a", "b", "c"};
    engine_.add("a");
    engine_.registry = {"b"};
    run(service().fetch_wanted());
    EXPECT_TRUE(engine_.images.contains("b"));
    EXPECT_THAT(engine_.pulled, ElementsAre("b", "c"));
    EXPECT_THAT(log_.lines, ::testing::Contains("an image cannot be fetched"));
}

TEST_F(ImageService, WithoutAnEngineThereAreNoImages)
{
    has_engine_ = false;
    for (const auto code :
        {run(service().list()).error().code, run(service().find("a")).error().code, run(service().ensure("a", {})).error().code,
            run(service().remove("a")).error().code, run(service().fetch("a", {})).error().code})
        EXPECT_EQ(code, errc::not_implemented);
}

TEST_F(ImageService, ATarIsHandedOnAsItComes)
{
    caisson::testing::text_tar tar("the bytes of a root file system");
    ASSERT_TRUE(run(service().import("own:1", &tar, {"ENV PATH=/usr/bin"})).has_value());
    EXPECT_EQ(engine_.received, "the bytes of a root file system");
    EXPECT_THAT(engine_.changes_of_last, ElementsAre("ENV PATH=/usr/bin"));
    EXPECT_TRUE(engine_.images.contains("own:1"));
}

// How policies differ.

struct policy_case {
    std::string_view name;
    pull_policy policy;
    bool on_engine;
    bool in_registry;
    std::size_t pulls;
    std::optional<errc> failure;
};

class ImagePolicy : public ImageService, public ::testing::WithParamInterface<policy_case> { };

TEST_P(ImagePolicy, DecidesWhetherAnImageIsFetched)
{
    const auto& c = GetParam();
    options_.policy = c.policy;
    if (c.on_engine)
        engine_.add("bash:5");
    if (c.in_registry)
        engine_.registry = {"bash:5"};
    const auto got = run(service().ensure("bash:5", {}));
    EXPECT_EQ(got.has_error() ? std::optional(got.error().code) : std::nullopt, c.failure);
    EXPECT_EQ(engine_.pulled.size(), c.pulls);
}

INSTANTIATE_TEST_SUITE_P(Cases, ImagePolicy,
    ::testing::Values(policy_case{"missing_and_there", pull_policy::missing, true, true, 0, std::nullopt},
        policy_case{"missing_and_not_there", pull_policy::missing, false, true, 1, std::nullopt},
        policy_case{"missing_everywhere", pull_policy::missing, false, false, 1, errc::not_found},
        policy_case{"always_and_there", pull_policy::always, true, true, 1, std::nullopt},
        policy_case{"always_and_gone_from_the_registry", pull_policy::always, true, false, 1, errc::not_found},
        policy_case{"never_and_there", pull_policy::never, true, true, 0, std::nullopt},
        policy_case{"never_and_not_there", pull_policy::never, false, true, 0, errc::not_found}),
    [](const auto& info) { return std::string(info.param.name); });

// Who may use what.

class ImageAllowlist : public ImageService {
protected:
    std::string answer(const tenant_id& tenant, const std::string& name, const std::string& image)
    {
        const auto checked = run(service().check(tenant, name, image));
        return checked.has_value() ? "yes" : checked.error().detail;
    }
    const tenant_id acme_ = tenant_id::from_trusted("ten_acme");
    const tenant_id other_ = tenant_id::from_trusted("ten_other");
};

TEST_F(ImageAllowlist, IsExactAndInTheReferencesWords)
{
    EXPECT_EQ(answer(other_, "other", "bash:5"), "yes");
    EXPECT_EQ(answer(other_, "other", "Bash:5"), "image \"Bash:5\" is not in the allowlist (allowed: python:3.12-slim, bash:5)");
    EXPECT_EQ(answer(other_, "other", "bash"), "image \"bash\" is not in the allowlist (allowed: python:3.12-slim, bash:5)");
    EXPECT_EQ(answer(other_, "other", ""), "image name is required");
    options_.allowed.clear();
    service_.reset();
    EXPECT_EQ(answer(other_, "other", "bash:5"), "image allowlist is empty; no images are permitted");
}

TEST_F(ImageAllowlist, ATenantsOwnListStandsForTheServers)
{
    options_.tenants["acme"] = {"own:1"};
    EXPECT_EQ(answer(acme_, "acme", "own:1"), "yes");
    EXPECT_EQ(answer(acme_, "acme", "bash:5"), "image \"bash:5\" is not in the allowlist (allowed: own:1)");
    EXPECT_EQ(answer(other_, "other", "own:1"), "image \"own:1\" is not in the allowlist (allowed: python:3.12-slim, bash:5)");
}

TEST_F(ImageAllowlist, WhatTheApiAddsIsForOneTenantOrForAllWithoutAListOfTheirOwn)
{
    options_.tenants["acme"] = {};
    ASSERT_TRUE(run(service().allow({"all:1", std::nullopt, "", 1})).value());
    ASSERT_TRUE(run(service().allow({"acme:1", acme_, "acme", 2})).value());
    EXPECT_FALSE(run(service().allow({"acme:1", acme_, "acme", 3})).value());
    EXPECT_EQ(answer(other_, "other", "all:1"), "yes");
    EXPECT_EQ(answer(acme_, "acme", "all:1"), "image \"all:1\" is not in the allowlist (allowed: acme:1)");
    EXPECT_EQ(answer(acme_, "acme", "acme:1"), "yes");
    ASSERT_TRUE(run(service().disallow("acme:1", "acme")).has_value());
    EXPECT_EQ(answer(acme_, "acme", "acme:1"), "image allowlist is empty; no images are permitted");
    EXPECT_EQ(run(service().disallow("acme:1", "acme")).error().code, errc::not_found);
}

TEST_F(ImageAllowlist, AStoreThatFailsKeepsNobodyFromWhatTheConfigAllows)
{
    store_.fail_next({errc::internal, "broken"});
    EXPECT_TRUE(run(service().check(acme_, "acme", "bash:5")).has_value());
    EXPECT_EQ(store_.calls(), 0u);
    EXPECT_EQ(run(service().check(acme_, "acme", "x:1")).error().code, errc::internal);
}

struct sentence_case {
    std::string_view name;
    image_progress now;
    std::string_view want;
};
class PullSentence : public ::testing::TestWithParam<sentence_case> { };
TEST_P(PullSentence, SaysHowFarItIs) { EXPECT_EQ(pull_sentence("bash:5", GetParam().now), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, PullSentence,
    ::testing::Values(sentence_case{"nothing_known", {}, "the image bash:5 is being pulled"},
        sentence_case{"begun", {3, 0, 0, 200}, "the image bash:5 is being pulled: 0 %"},
        sentence_case{"midway", {3, 1, 87, 200}, "the image bash:5 is being pulled: 43 %"},
        sentence_case{"more_than_all", {3, 1, 300, 200}, "the image bash:5 is being pulled: 100 %"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace caisson::imaging
