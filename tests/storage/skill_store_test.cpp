#include "tests/storage/store_contract.hpp"

namespace caisson::testing {

namespace {

class SkillStore : public StoreContract {
protected:
    const tenant_id acme_ = numbered<tenant_id>(1);
    const tenant_id zeta_ = numbered<tenant_id>(2);

    /// A package whose digest is made of `bytes`, which its content is named by, too.
    static skill_revision package(const tenant_id& tenant, const std::string& name, const std::string& version, int bytes)
    {
        skill_revision row;
        row.tenant = tenant;
        row.manifest.name = name;
        row.manifest.version = version;
        row.manifest.description = "Says " + std::to_string(bytes);
        row.manifest.lang = "bash";
        row.digest = std::string(60, 'd') + std::to_string(1000 + bytes);
        row.content = numbered<content_id>(bytes);
        row.size_bytes = 100;
        row.files = 2;
        row.format = "zip";
        row.uploaded_at_ms = 1'000 + bytes;
        return row;
    }
    skill_put put(const skill_revision& row, const skill_bounds& bounds = {}) { return *run(skills().put(row, bounds)); }
    skill_put put(const tenant_id& tenant, const std::string& name, const std::string& version, int bytes)
    {
        return put(package(tenant, name, version, bytes));
    }
    std::string listed(const tenant_id& tenant, skill_filter filter = {})
    {
        std::string text;
        for (const auto& row : *run(skills().list(tenant, std::move(filter))))
            text += row.name + "@" + row.version + " ";
        return text;
    }
    /// Contents of all packages of a skill in the order of revisions(); those that were replaced in brackets.
    std::string kept(const tenant_id& tenant, const std::string& name)
    {
        std::string text;
        for (const auto& row : *run(skills().revisions(tenant, name, {}, 1'000))) {
            const auto number = row.manifest.version + ":" + std::to_string(std::stoi(row.content.str().substr(4)));
            text += row.replaced_at_ms ? "(" + number + ") " : number + " ";
        }
        return text;
    }
    errc refused(const skill_revision& row, const skill_bounds& bounds) { return code_of(run(skills().put(row, bounds))); }
};

skill_manifest full_manifest()
{
    skill_manifest said;
    said.name = "word-counter";
    said.version = "1.2.3-rc.1";
    said.description = "Counts \"words\"";
    said.lang = "python";
    said.image = "python:3.12-slim";
    said.instructions = "# Use it\nwell ünd ";
    said.mode = "cognitive";
    said.timeout_ms = 90'000;
    said.timeout_text = "90s";
    said.memory_bytes = 128 << 20;
    said.memory_text = "128Mi";
    said.cpu_milli = 500;
    said.cpu_text = "0.5";
    said.entrypoint = "scripts/main.py";
    said.command = {"python3", "-u", "scripts/main.py"};
    said.env = {{"A", "1"}, {"B", ""}};
    said.retry = retry_policy{3, 10, 1.5, 100, {attempt_fault::agent_lost, attempt_fault::program}, {1, 75}};
    said.idempotent = true;
    said.input_schema = R"({"type":"object"})";
    said.output_schema = R"({"type":"array"})";
    said.artifacts = {"*.png", "data/**"};
    said.runtime = "bubblewrap";
    return said;
}

TEST_P(SkillStore, KeepsAllThatAnUploadSays)
{
    auto row = package(acme_, "x", "1.0.0", 1);
    row.manifest = full_manifest();
    const auto done = put(row);
    EXPECT_TRUE(done.is_new && done.unneeded.empty());
    const auto found = *run(skills().find(acme_, "word-counter", "1.2.3-rc.1"));
    EXPECT_EQ(manifest_to_json(found.manifest), manifest_to_json(row.manifest));
    EXPECT_EQ(found.manifest.retry, row.manifest.retry);
    EXPECT_EQ(found.tenant, acme_);
    EXPECT_EQ(found.digest, row.digest);
    EXPECT_EQ(found.content, row.content);
    EXPECT_EQ(found.size_bytes, 100);
    EXPECT_EQ(found.files, 2);
    EXPECT_EQ(found.format, "zip");
    EXPECT_EQ(found.uploaded_at_ms, 1'001);
    EXPECT_EQ(found.replaced_at_ms, std::nullopt);
    EXPECT_FALSE(found.disabled);
    const auto by_digest = *run(skills().find_digest(acme_, row.digest));
    EXPECT_EQ(manifest_to_json(by_digest.manifest), manifest_to_json(row.manifest));
}

TEST_P(SkillStore, TellsEnabledVersionsByThemselves)
{
    for (const auto* version : {"1.0.0", "2.0.0", "3.0.0"})
        put(acme_, "x", version, version[0]);
    put(acme_, "y", "4.0.0", 4);
    put(zeta_, "x", "5.0.0", 5);
    ASSERT_TRUE(run(skills().set_disabled(acme_, "x", "2.0.0", true)).has_value());
    auto found = *run(skills().enabled_versions(acme_, "x"));
    std::ranges::sort(found);
    EXPECT_EQ(found, (std::vector<std::string>{"1.0.0", "3.0.0"}));
    EXPECT_TRUE(run(skills().enabled_versions(acme_, "z"))->empty());
}

TEST_P(SkillStore, AManifestThatSaysNothingIsKeptToo)
{
    put(acme_, "x", "1.0.0", 1);
    const auto said = run(skills().find(acme_, "x", "1.0.0"))->manifest;
    EXPECT_EQ(said.mode, "executable");
    EXPECT_TRUE(!said.timeout_ms && !said.retry && said.env.empty() && !said.idempotent);
}

TEST_P(SkillStore, AnotherUploadOfAVersionReplacesItAndTheOlderStaysAddressable)
{
    put(acme_, "x", "1.0.0", 1);
    const auto done = put(acme_, "x", "1.0.0", 2);
    EXPECT_TRUE(done.is_new && done.unneeded.empty());
    EXPECT_EQ(run(skills().find(acme_, "x", "1.0.0"))->content, numbered<content_id>(2));
    const auto older = *run(skills().find_digest(acme_, package(acme_, "x", "1.0.0", 1).digest));
    EXPECT_EQ(older.content, numbered<content_id>(1));
    EXPECT_EQ(older.replaced_at_ms, 1'002);
    EXPECT_EQ(kept(acme_, "x"), "(1.0.0:1) 1.0.0:2 ");
    EXPECT_EQ(run(skills().versions(acme_, "x"))->front().description, "Says 2");
}

TEST_P(SkillStore, TheSameBytesAgainAreNoNewRevision)
{
    put(acme_, "x", "1.0.0", 1);
    auto again = package(acme_, "x", "1.0.0", 1);
    again.content = numbered<content_id>(7);
    again.uploaded_at_ms = 9'000;
    const auto done = put(again);
    EXPECT_FALSE(done.is_new);
    EXPECT_EQ(done.kept.content, numbered<content_id>(1));
    EXPECT_EQ(done.kept.uploaded_at_ms, 1'001);
    EXPECT_EQ(done.unneeded, std::vector{numbered<content_id>(7)});
    EXPECT_EQ(kept(acme_, "x"), "1.0.0:1 ");
}

TEST_P(SkillStore, OlderBytesAgainAreWhatTheVersionMeansFromThenOn)
{
    put(acme_, "x", "1.0.0", 1);
    put(acme_, "x", "1.0.0", 2);
    auto again = package(acme_, "x", "1.0.0", 1);
    again.content = numbered<content_id>(7);
    again.uploaded_at_ms = 9'000;
    const auto done = put(again);
    EXPECT_TRUE(done.is_new);
    EXPECT_EQ(done.kept.content, numbered<content_id>(1)) << "their content was kept";
    EXPECT_EQ(done.unneeded, std::vector{numbered<content_id>(7)});
    EXPECT_EQ(kept(acme_, "x"), "(1.0.0:2) 1.0.0:1 ");
    EXPECT_EQ(run(skills().find(acme_, "x", "1.0.0"))->uploaded_at_ms, 9'000);
}

TEST_P(SkillStore, OnlySoManyRevisionsOfAVersionStay)
{
    skill_bounds bounds;
    bounds.max_revisions = 3;
    for (int i = 1; i <= 3; ++i)
        EXPECT_TRUE(put(package(acme_, "x", "1.0.0", i), bounds).unneeded.empty());
    put(acme_, "x", "2.0.0", 9);
    EXPECT_EQ(put(package(acme_, "x", "1.0.0", 4), bounds).unneeded, std::vector{numbered<content_id>(1)});
    EXPECT_EQ(kept(acme_, "x"), "(1.0.0:2) (1.0.0:3) 1.0.0:4 2.0.0:9 ");
    bounds.max_revisions = 1;
    EXPECT_EQ(put(package(acme_, "x", "1.0.0", 5), bounds).unneeded.size(), 3u);
    EXPECT_EQ(kept(acme_, "x"), "1.0.0:5 2.0.0:9 ");
}

TEST_P(SkillStore, BoundsAreHeldWithTheirNumbers)
{
    skill_bounds bounds{2, 2, 20, 4, 450};
    put(package(acme_, "a", "1.0.0", 1), bounds);
    put(package(acme_, "a", "2.0.0", 2), bounds);
    EXPECT_EQ(refused(package(acme_, "a", "3.0.0", 3), bounds), errc::quota_exceeded) << "versions of a skill";
    put(package(acme_, "b", "1.0.0", 4), bounds);
    EXPECT_EQ(refused(package(acme_, "c", "1.0.0", 5), bounds), errc::quota_exceeded) << "skills";
    put(package(acme_, "a", "1.0.0", 6), bounds);
    EXPECT_EQ(refused(package(acme_, "a", "1.0.0", 7), bounds), errc::quota_exceeded) << "packages";
    bounds.max_packages = 10;
    const auto beyond = run(skills().put(package(acme_, "a", "1.0.0", 7), bounds));
    ASSERT_TRUE(beyond.has_error()) << "bytes";
    EXPECT_EQ(beyond.error().facts->limit, "skills.max_bytes_per_tenant");
    EXPECT_EQ(beyond.error().facts->value, 450);
    EXPECT_EQ(beyond.error().facts->scope, "tenant");
    const auto now = *run(skills().usage(acme_));
    EXPECT_EQ(now.skills, 2);
    EXPECT_EQ(now.packages, 4);
    EXPECT_EQ(now.bytes, 400);
    EXPECT_TRUE(run(skills().put(package(zeta_, "c", "1.0.0", 5), bounds)).has_value()) << "of others nothing counts";
}

TEST_P(SkillStore, WhatIsRemovedMakesRoom)
{
    const skill_bounds bounds{1, 1, 20, 2, 200};
    put(package(acme_, "a", "1.0.0", 1), bounds);
    put(package(acme_, "a", "1.0.0", 2), bounds);
    EXPECT_EQ(refused(package(acme_, "b", "1.0.0", 3), bounds), errc::quota_exceeded);
    EXPECT_EQ(run(skills().erase(acme_, "a", "1.0.0"))->size(), 2u);
    EXPECT_EQ(run(skills().usage(acme_))->skills, 0);
    EXPECT_EQ(run(skills().usage(acme_))->bytes, 0);
    EXPECT_TRUE(run(skills().put(package(acme_, "b", "1.0.0", 3), bounds)).has_value());
}

TEST_P(SkillStore, ListsByNameAndVersionPageByPage)
{
    int bytes = 0;
    for (const auto* name : {"beta", "alpha", "alpha-2"})
        for (const auto* version : {"2.0.0", "1.0.0", "10.0.0"})
            put(acme_, name, version, ++bytes);
    put(zeta_, "gamma", "1.0.0", 99);
    EXPECT_EQ(listed(acme_), "alpha@1.0.0 alpha@10.0.0 alpha@2.0.0 alpha-2@1.0.0 alpha-2@10.0.0 alpha-2@2.0.0 beta@1.0.0 beta@10.0.0 "
                             "beta@2.0.0 ");
    EXPECT_EQ(listed(acme_, {"", "", {}, 2}), "alpha@1.0.0 alpha@10.0.0 ");
    EXPECT_EQ(listed(acme_, {"", "", std::pair("alpha", "10.0.0"), 2}), "alpha@2.0.0 alpha-2@1.0.0 ");
    EXPECT_EQ(listed(acme_, {"alpha", "", {}, 9}), "alpha@1.0.0 alpha@10.0.0 alpha@2.0.0 ");
    EXPECT_EQ(listed(acme_, {"alpha", "", std::pair("alpha", "10.0.0"), 9}), "alpha@2.0.0 ");
    EXPECT_EQ(listed(acme_, {"beta", "", std::pair("alpha", "3.0.0"), 1}), "beta@1.0.0 ");
    EXPECT_EQ(listed(zeta_), "gamma@1.0.0 ");
}

TEST_P(SkillStore, SearchesNamesAndDescriptionsWithoutCase)
{
    auto row = package(acme_, "Word-Counter", "1.0.0", 1);
    row.manifest.description = "Counts 100% of LETTERS_";
    put(row);
    put(acme_, "other", "1.0.0", 2);
    EXPECT_EQ(listed(acme_, {"", "word", {}, 9}), "Word-Counter@1.0.0 ");
    EXPECT_EQ(listed(acme_, {"", "letters_", {}, 9}), "Word-Counter@1.0.0 ");
    EXPECT_EQ(listed(acme_, {"", "100%", {}, 9}), "Word-Counter@1.0.0 ");
    EXPECT_EQ(listed(acme_, {"", "1_0%", {}, 9}), "") << "no patterns";
    EXPECT_EQ(listed(acme_, {"", "SAYS", {}, 9}), "other@1.0.0 ");
    EXPECT_EQ(listed(acme_, {"other", "word", {}, 9}), "");
}

TEST_P(SkillStore, RevisionsComePageByPage)
{
    for (int i = 1; i <= 4; ++i)
        put(acme_, "x", i < 4 ? "1.0.0" : "0.9.0", i);
    const auto first = *run(skills().revisions(acme_, "x", {}, 3));
    ASSERT_EQ(first.size(), 3u);
    EXPECT_EQ(first[0].manifest.version, "0.9.0");
    const skill_revision_place last{first[2].manifest.version, first[2].uploaded_at_ms, first[2].digest};
    const auto rest = *run(skills().revisions(acme_, "x", last, 3));
    ASSERT_EQ(rest.size(), 1u);
    EXPECT_EQ(rest[0].content, numbered<content_id>(3));
}

TEST_P(SkillStore, DisabledIsTheVersionAlsoAfterAnotherUpload)
{
    put(acme_, "x", "1.0.0", 1);
    put(acme_, "x", "2.0.0", 2);
    ASSERT_TRUE(run(skills().set_disabled(acme_, "x", "1.0.0", true)).has_value());
    EXPECT_TRUE(run(skills().find(acme_, "x", "1.0.0"))->disabled);
    EXPECT_FALSE(run(skills().find(acme_, "x", "2.0.0"))->disabled);
    EXPECT_TRUE(put(acme_, "x", "1.0.0", 3).kept.disabled);
    EXPECT_TRUE(run(skills().find_digest(acme_, package(acme_, "x", "1.0.0", 1).digest))->disabled);
    ASSERT_TRUE(run(skills().set_disabled(acme_, "x", "1.0.0", false)).has_value());
    EXPECT_FALSE(run(skills().versions(acme_, "x"))->front().disabled);
    EXPECT_EQ(code_of(run(skills().set_disabled(acme_, "x", "3.0.0", true))), errc::not_found);
}

TEST_P(SkillStore, ARemovedVersionIsGoneWithAllThatItEverMeant)
{
    put(acme_, "x", "1.0.0", 1);
    put(acme_, "x", "1.0.0", 2);
    put(acme_, "x", "2.0.0", 3);
    EXPECT_EQ(run(skills().erase(acme_, "x", "1.0.0"))->size(), 2u);
    EXPECT_EQ(code_of(run(skills().find(acme_, "x", "1.0.0"))), errc::not_found);
    EXPECT_EQ(code_of(run(skills().find_digest(acme_, package(acme_, "x", "1.0.0", 1).digest))), errc::not_found);
    EXPECT_EQ(kept(acme_, "x"), "2.0.0:3 ");
    EXPECT_EQ(code_of(run(skills().erase(acme_, "x", "1.0.0"))), errc::not_found);
}

TEST_P(SkillStore, ARemovedSkillIsGoneWithAllVersions)
{
    put(acme_, "x", "1.0.0", 1);
    put(acme_, "x", "2.0.0", 2);
    put(acme_, "xy", "1.0.0", 3);
    EXPECT_EQ(run(skills().erase(acme_, "x", ""))->size(), 2u);
    EXPECT_EQ(listed(acme_), "xy@1.0.0 ");
    EXPECT_EQ(code_of(run(skills().erase(acme_, "x", ""))), errc::not_found);
}

TEST_P(SkillStore, OtherTenantsHaveTheirOwn)
{
    const auto mine = package(acme_, "x", "1.0.0", 1);
    put(mine);
    auto theirs = package(zeta_, "x", "1.0.0", 1);
    theirs.content = numbered<content_id>(8);
    EXPECT_TRUE(put(theirs).is_new) << "the same bytes";
    EXPECT_EQ(run(skills().find_digest(zeta_, mine.digest))->content, numbered<content_id>(8));
    EXPECT_EQ(code_of(run(skills().find(numbered<tenant_id>(3), "x", "1.0.0"))), errc::not_found);
    EXPECT_EQ(run(skills().erase(zeta_, "x", ""))->size(), 1u);
    EXPECT_EQ(run(skills().find(acme_, "x", "1.0.0"))->content, numbered<content_id>(1));
}

INSTANTIATE_TEST_SUITE_P(Stores, SkillStore, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
