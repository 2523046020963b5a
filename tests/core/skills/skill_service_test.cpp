#include "core/skills/skill_service.hpp"
#include "tests/support/fake_files.hpp"
#include "tests/support/fake_skills.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>

namespace caisson::testing {

namespace {

class still_clock : public clock {
public:
    std::int64_t now_ms() const override { return now; }
    steady_time steady_now() const override { return steady; }
    std::int64_t now = 1'000;
    steady_time steady = {};
};

class SkillService : public ::testing::Test {
protected:
    template <class T>
    T run(task<T> work)
    {
        return run_task(context_, std::move(work));
    }
    std::shared_ptr<package_upload> uploading(const tenant_id& tenant, const std::string& bytes)
    {
        auto begun = run(service_.begin_upload(tenant, {}));
        std::shared_ptr<package_upload> upload = std::move(*begun);
        static_cast<void>(run(upload->write(shared_bytes(bytes))));
        return upload;
    }
    result<skill_service::stored> try_store(const std::string& bytes, const tenant_id& tenant)
    {
        ++time_.now;
        return run(service_.store(tenant, uploading(tenant, bytes)));
    }
    skill_revision store(const std::string& bytes) { return try_store(bytes, acme_)->revision; }
    std::string version_of(const std::string& asked)
    {
        const auto found = run(service_.find(acme_, "x", asked));
        return found.has_value() ? found->manifest.version : std::string(slug(found.error().code)) + ": " + found.error().detail;
    }

    const tenant_id acme_ = tenant_id::from_trusted("ten_a");
    const tenant_id zeta_ = tenant_id::from_trusted("ten_z");
    asio::io_context context_;
    still_clock time_;
    null_logger log_;
    fake_skill_store skills_;
    fake_content_store contents_;
    fake_intake intake_;
    std::vector<std::string> erased_;
    skill_service service_{{time_, log_, skills_, contents_, intake_, {}, 8,
        [this](const tenant_id& tenant, const std::string& digest) { erased_.push_back(tenant.str() + "/" + digest); }}};
};

TEST_F(SkillService, KeepsTheBytesAsTheyCame)
{
    const std::string bytes = "x@1.0.0\n" + std::string(600'000, 'b');
    const auto made = *try_store(bytes, acme_);
    EXPECT_EQ(made.revision.manifest.name, "x");
    EXPECT_EQ(made.revision.digest, fake_intake::digest_of(bytes));
    EXPECT_EQ(made.revision.uploaded_at_ms, 1'001);
    EXPECT_EQ(made.notes, std::vector<std::string>{"a note"});
    EXPECT_EQ(contents_.bytes(made.revision.content), bytes);
    EXPECT_EQ(intake_.open, 0) << "the upload's file is gone";
}

TEST_F(SkillService, WhatIsNoPackageLeavesNothing)
{
    EXPECT_EQ(try_store("invalid", acme_).error().code, errc::invalid_skill);
    EXPECT_EQ(contents_.size(), 0u);
    EXPECT_EQ(service_.uploads(), 0u);
}

TEST_F(SkillService, TheSameBytesAgainChangeNothing)
{
    const auto first = store("x@1.0.0");
    const auto calls = contents_.calls();
    const auto again = store("x@1.0.0");
    EXPECT_EQ(again.uploaded_at_ms, first.uploaded_at_ms);
    EXPECT_EQ(again.content, first.content);
    EXPECT_EQ(contents_.size(), 1u) << "what was written is gone";
    EXPECT_EQ(contents_.calls() - calls, 3u) << "written, finished, erased: that mends what the disk damaged";
}

TEST_F(SkillService, OlderBytesAgainKeepTheirContent)
{
    const auto first = store("x@1.0.0\na");
    store("x@1.0.0\nb");
    EXPECT_EQ(store("x@1.0.0\na").content, first.content);
    EXPECT_EQ(run(service_.find(acme_, "x", "1.0.0"))->digest, first.digest);
    EXPECT_EQ(contents_.size(), 2u) << "what was written for it is gone";
}

struct store_failure {
    std::string name;
    std::size_t good_calls;    // of the content store before the failure
};
class SkillServiceFault : public SkillService, public ::testing::WithParamInterface<store_failure> { };
TEST_P(SkillServiceFault, OfTheContentStoreLeavesNoRecord)
{
    contents_.let_pass(GetParam().good_calls);
    contents_.fail_next({errc::runtime_unavailable, "disk full"});
    EXPECT_EQ(try_store("x@1.0.0", acme_).error().code, errc::runtime_unavailable);
    contents_.heal();
    EXPECT_EQ(version_of("latest"), "not_found: skill not found: x@latest");
    EXPECT_EQ(contents_.size(), 0u);
    EXPECT_EQ(store("x@1.0.0").manifest.version, "1.0.0") << "the next one goes well";
}
INSTANTIATE_TEST_SUITE_P(Cases, SkillServiceFault, ::testing::Values(store_failure{"first_write", 0}, store_failure{"finish", 1}),
    [](const auto& info) { return info.param.name; });

TEST_F(SkillService, WhatTheRecordsRefuseLeavesNoBytes)
{
    skills_.fail_next({errc::quota_exceeded, "too many"});
    EXPECT_EQ(try_store("x@1.0.0", acme_).error().code, errc::quota_exceeded);
    EXPECT_EQ(contents_.size(), 0u);
}

TEST_F(SkillService, BytesOfWhichNobodyKnowsWhetherARecordNamesThemStay)
{
    skills_.throw_next("broken");
    EXPECT_THROW(try_store("x@1.0.0", acme_), std::runtime_error);
    EXPECT_EQ(contents_.size(), 1u) << "the search for contents without a record removes them if there is none";
}

struct latest_case {
    std::string name;
    std::vector<std::string> uploaded;    // in this order; "-" before those that are disabled
    std::string want;
};
class LatestSkill : public SkillService, public ::testing::WithParamInterface<latest_case> { };
TEST_P(LatestSkill, IsTheHighestThatIsEnabled)
{
    for (const auto& each : GetParam().uploaded) {
        const auto version = each.starts_with('-') ? each.substr(1) : each;
        store("x@" + version);
        if (version != each)
            ASSERT_TRUE(run(service_.set_disabled(acme_, "x", version, true)).has_value());
    }
    EXPECT_EQ(version_of("latest"), GetParam().want);
    EXPECT_EQ(version_of(""), GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Cases, LatestSkill,
    ::testing::Values(latest_case{"not_the_newest", {"2.0.0", "1.0.0"}, "2.0.0"}, latest_case{"by_number", {"9.0.0", "10.0.0"}, "10.0.0"},
        latest_case{"release_before_pre_release", {"1.0.0", "2.0.0-rc.1"}, "1.0.0"},
        latest_case{"pre_release_if_nothing_else", {"1.0.0-a", "1.0.0-b"}, "1.0.0-b"},
        latest_case{"passes_over_disabled", {"1.0.0", "-2.0.0"}, "1.0.0"},
        latest_case{"pre_release_if_releases_are_disabled", {"-1.0.0", "0.1.0-a"}, "0.1.0-a"},
        latest_case{"all_disabled", {"-1.0.0"}, "not_found: skill not found: x@latest"},
        latest_case{"none", {}, "not_found: skill not found: x@latest"}),
    [](const auto& info) { return info.param.name; });

TEST_F(SkillService, FindsAVersionOrAPackageByItsDigest)
{
    const auto older = store("x@1.0.0\na");
    store("x@1.0.0\nb");
    EXPECT_EQ(version_of("1.0.0"), "1.0.0");
    EXPECT_EQ(run(service_.find(acme_, "x", "sha256:" + older.digest))->content, older.content);
    EXPECT_EQ(version_of("2.0.0"), "not_found: skill not found: x@2.0.0");
    EXPECT_EQ(version_of("sha256:" + std::string(64, 'a')), "not_found: skill not found: x@sha256:" + std::string(64, 'a'));
    EXPECT_EQ(run(service_.find(acme_, "y", "sha256:" + older.digest)).error().code, errc::not_found) << "of another name";
    EXPECT_EQ(run(service_.find(zeta_, "x", "1.0.0")).error().code, errc::not_found) << "of another tenant";
    EXPECT_EQ(run(service_.find(zeta_, "x", "sha256:" + older.digest)).error().code, errc::not_found);
}

TEST_F(SkillService, ADisabledVersionIsShownAndNotRun)
{
    const auto made = store("x@1.0.0");
    EXPECT_TRUE(run(service_.set_disabled(acme_, "x", "1.0.0", true))->disabled);
    const std::string why = R"(conflict: the skill "x" is disabled in version "1.0.0"; enable it, or name another version)";
    EXPECT_EQ(version_of("1.0.0"), why);
    EXPECT_EQ(version_of("sha256:" + made.digest), why);
    EXPECT_TRUE(run(service_.show(acme_, "x", "1.0.0"))->disabled);
    EXPECT_FALSE(run(service_.set_disabled(acme_, "x", "1.0.0", false))->disabled);
    EXPECT_EQ(version_of("1.0.0"), "1.0.0");
}

TEST_F(SkillService, WhatWasRunIsKnownUntilTheSkillChanges)
{
    const auto known = [this](const std::string& asked) {
        const auto read = version_of(asked);
        skills_.fail_next({errc::internal, "it was asked again"});
        const auto again = version_of(asked);
        skills_.heal();
        return read == again ? read : read + ", then " + again;
    };
    const auto first = store("x@1.0.0\na");
    for (const auto& asked : {std::string(), std::string("latest"), std::string("1.0.0"), "sha256:" + first.digest})
        EXPECT_EQ(known(asked), "1.0.0") << asked;
    EXPECT_EQ(run(service_.find(zeta_, "x", "1.0.0")).error().code, errc::not_found) << "of another tenant";
    const auto second = store("x@1.0.0\nb");
    EXPECT_EQ(run(service_.find(acme_, "x", "1.0.0"))->digest, second.digest);
    EXPECT_TRUE(run(service_.find(acme_, "x", "sha256:" + first.digest))->replaced_at_ms.has_value());
    store("x@2.0.0");
    EXPECT_EQ(known("latest"), "2.0.0");
    ASSERT_TRUE(run(service_.set_disabled(acme_, "x", "2.0.0", true)).has_value());
    EXPECT_EQ(version_of("2.0.0").substr(0, 8), "conflict");
    EXPECT_EQ(known("latest"), "1.0.0");
    ASSERT_TRUE(run(service_.set_disabled(acme_, "x", "2.0.0", false)).has_value());
    EXPECT_EQ(known("latest"), "2.0.0");
    ASSERT_TRUE(run(service_.erase(acme_, "x", "")).has_value());
    for (const auto& asked : {std::string(), std::string("latest"), std::string("1.0.0"), "sha256:" + first.digest})
        EXPECT_EQ(version_of(asked).substr(0, 9), "not_found") << asked;
}

TEST_F(SkillService, AChangeOfWhichNobodyKnowsWhetherItCameIsReadAnew)
{
    store("x@1.0.0");
    EXPECT_EQ(version_of("latest"), "1.0.0");
    skills_.throw_next("broken");
    EXPECT_THROW(try_store("x@2.0.0", acme_), std::runtime_error);
    skills_.fail_next({errc::internal, "asked"});
    EXPECT_EQ(version_of("latest"), "internal_error: asked");
}

TEST(KnownSkills, NothingIsKeptOfWhatIsBeingChanged)
{
    known_skills known;
    skill_revision what;
    what.tenant = tenant_id::from_trusted("ten_a");
    what.manifest.name = "x";
    const auto before = known.now(what.tenant, "x");
    known.keep("latest", what, before);
    EXPECT_NE(known.find(what.tenant, "x", "latest"), nullptr);
    {
        const auto change = known.changing(what.tenant, "x");
        EXPECT_EQ(known.find(what.tenant, "x", "latest"), nullptr);
        known.keep("latest", what, known.now(what.tenant, "x"));
        EXPECT_EQ(known.find(what.tenant, "x", "latest"), nullptr);
    }
    known.keep("latest", what, before);
    EXPECT_EQ(known.find(what.tenant, "x", "latest"), nullptr) << "read before the change";
}

TEST(KnownSkills, AreBoundedInNumberAndSize)
{
    known_skills known;
    skill_revision what;
    what.tenant = tenant_id::from_trusted("ten_a");
    for (std::size_t i = 0; i < known_skills::most + 1; ++i) {
        what.manifest.name = std::to_string(i);
        known.keep("latest", what, known.now(what.tenant, what.manifest.name));
    }
    EXPECT_EQ(known.find(what.tenant, "0", "latest"), nullptr);
    EXPECT_NE(known.find(what.tenant, "1", "latest"), nullptr);
    what.manifest.name = "large";
    what.manifest.instructions.resize(known_skills::most_bytes + 1);
    known.keep("latest", what, known.now(what.tenant, "large"));
    EXPECT_EQ(known.find(what.tenant, "large", "latest"), nullptr);
}

TEST_F(SkillService, AChangeNamesAVersion)
{
    const auto digest = "sha256:" + store("x@1.0.0").digest;
    const std::string why = "; name a version: \"latest\" and digests are for reading and running";
    EXPECT_EQ(run(service_.set_disabled(acme_, "x", "latest", true)).error().detail, "skill not found: x@latest" + why);
    EXPECT_EQ(run(service_.erase(acme_, "x", "latest")).error().detail, "skill not found: x@latest" + why);
    EXPECT_EQ(run(service_.erase(acme_, "x", digest)).error().detail, "skill not found: x@" + digest + why);
    EXPECT_EQ(run(service_.erase(acme_, "x", "2.0.0")).error().detail, "skill not found: x@2.0.0");
}

TEST_F(SkillService, RemovalTakesAllThatAVersionEverMeantAndItsBytes)
{
    const auto first = store("x@1.0.0\na");
    const auto second = store("x@1.0.0\nb");
    const auto other = store("x@2.0.0");
    ASSERT_TRUE(run(service_.erase(acme_, "x", "1.0.0")).has_value());
    EXPECT_EQ(version_of("1.0.0"), "not_found: skill not found: x@1.0.0");
    EXPECT_EQ(version_of("sha256:" + first.digest).substr(0, 9), "not_found");
    EXPECT_EQ(version_of("latest"), "2.0.0");
    EXPECT_FALSE(contents_.has(first.content) || contents_.has(second.content));
    EXPECT_TRUE(contents_.has(other.content));
    EXPECT_THAT(erased_, ::testing::UnorderedElementsAre("ten_a/" + first.digest, "ten_a/" + second.digest));
    EXPECT_EQ(run(service_.erase(acme_, "x", "1.0.0")).error().code, errc::not_found);
    EXPECT_EQ(run(service_.erase(zeta_, "x", "2.0.0")).error().code, errc::not_found);
}

TEST_F(SkillService, RemovalOfASkillTakesAllVersions)
{
    for (int i = 0; i < 70; ++i)    // more than are erased at once
        store("x@1.0." + std::to_string(i));
    ASSERT_TRUE(run(service_.erase(acme_, "x", "")).has_value());
    EXPECT_EQ(contents_.size(), 0u);
    EXPECT_EQ(run(service_.summary(acme_, "x")).error().code, errc::not_found);
    EXPECT_EQ(run(service_.erase(acme_, "x", "")).error().detail, "skill not found: x");
}

TEST_F(SkillService, BytesThatCannotBeErasedNowDoNotFailTheRemoval)
{
    store("x@1.0.0");
    contents_.throw_next("disk");
    EXPECT_TRUE(run(service_.erase(acme_, "x", "1.0.0")).has_value());
    EXPECT_EQ(version_of("1.0.0").substr(0, 9), "not_found");
}

TEST_F(SkillService, TheSummaryHasTheHighestFirst)
{
    for (const auto* each : {"x@1.0.0", "x@10.0.0", "x@2.0.0", "x@2.0.0-rc"})
        store(each);
    const auto found = *run(service_.summary(acme_, "x"));
    std::vector<std::string> versions;
    for (const auto& each : found.versions)
        versions.push_back(each.version);
    EXPECT_EQ(versions, (std::vector<std::string>{"10.0.0", "2.0.0", "2.0.0-rc", "1.0.0"}));
    EXPECT_EQ(found.latest, "10.0.0");
}

TEST_F(SkillService, UploadsAtOnceAreBoundedAlsoForOneTenant)
{
    std::vector<std::shared_ptr<package_upload>> open;
    for (int i = 0; i < 2; ++i)
        open.push_back(uploading(acme_, "x@1.0.0"));
    const auto own = run(service_.begin_upload(acme_, {}));
    ASSERT_TRUE(own.has_error()) << "a quarter of 8";
    EXPECT_EQ(own.error().code, errc::queue_full);
    EXPECT_EQ(own.error().facts->scope, "tenant");
    for (int i = 0; i < 6; ++i)
        open.push_back(uploading(tenant_id::from_trusted("ten_" + std::to_string(i)), "x@1.0.0"));
    const auto all = run(service_.begin_upload(zeta_, {}));
    ASSERT_TRUE(all.has_error());
    EXPECT_EQ(all.error().facts->scope, "server");
    open.clear();
    EXPECT_EQ(service_.uploads(), 0u);
    EXPECT_TRUE(run(service_.begin_upload(acme_, {"bash:5"})).has_value());
    EXPECT_EQ(intake_.images, std::vector<std::string>{"bash:5"});
}

TEST_F(SkillService, AnUploadThatTakesTooLongIsRefused)
{
    const auto slow = uploading(acme_, "x@1.0.0");
    time_.steady += std::chrono::seconds(799);
    EXPECT_TRUE(run(slow->write(shared_bytes(std::string("a")))).has_value());
    time_.steady += std::chrono::seconds(1);
    const auto refused = run(slow->write(shared_bytes(std::string("a"))));
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::bad_request);
    EXPECT_EQ(refused.error().fields.at(0).field, "body");
    EXPECT_THAT(refused.error().detail, ::testing::HasSubstr("within 800 s"));
}

TEST_F(SkillService, AnUploadThatCannotBeginCountsNotOn)
{
    intake_.fail_next({errc::runtime_unavailable, "disk full"});
    EXPECT_EQ(run(service_.begin_upload(acme_, {})).error().code, errc::runtime_unavailable);
    EXPECT_EQ(service_.uploads(), 0u);
}

struct digest_case {
    std::string name;
    std::string version;
    bool is_digest;
};
class DigestOf : public ::testing::TestWithParam<digest_case> { };
TEST_P(DigestOf, IsExact) { EXPECT_EQ(digest_of(GetParam().version).has_value(), GetParam().is_digest); }
INSTANTIATE_TEST_SUITE_P(Cases, DigestOf,
    ::testing::Values(digest_case{"digest", "sha256:" + std::string(64, '0'), true},
        digest_case{"short", "sha256:" + std::string(63, '0'), false}, digest_case{"long", "sha256:" + std::string(65, '0'), false},
        digest_case{"upper_case", "sha256:" + std::string(64, 'A'), false}, digest_case{"version", "1.0.0", false},
        digest_case{"bare", std::string(64, '0'), false}, digest_case{"empty", "", false}),
    [](const auto& info) { return info.param.name; });

}    // namespace

}    // namespace caisson::testing
