#include "app/skills/tree_cache.hpp"

#include "adapters/crypto/digest.hpp"
#include "tests/app/skills/packages.hpp"
#include "tests/storage/busy_context.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/fake_files.hpp"
#include "tests/support/fake_skills.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace caisson::testing {

namespace {

namespace fs = std::filesystem;

class TreeCache : public ::testing::Test {
protected:
    using tree = std::shared_ptr<const skill_tree>;

    TreeCache() { start(); }
    ~TreeCache() override { run(cache_->stop()); }

    template <class T>
    T run(task<T> work)
    {
        return run_task(busy_.context, std::move(work));
    }
    /// A cache of a server that begins, with what an earlier one left.
    void start(std::int64_t max_bytes = 1 << 20)
    {
        if (cache_)
            run(cache_->stop());
        auto claims = [this]() -> task<result<std::set<tree_key>>> { return tell_claims(&claimed_); };
        cache_ = std::make_unique<tree_cache>(
            tree_cache_services{busy_.context.get_executor(), time_, log_, work_, skills_, contents_, std::move(claims)},
            tree_cache_options{dir_ / "skills", max_bytes, {}, std::chrono::seconds(60)});
        run(cache_->prepare());
    }
    static task<result<std::set<tree_key>>> tell_claims(const std::set<tree_key>* claimed) { co_return *claimed; }
    void settle()
    {
        cache_->settle();
        run(cache_->idle());
    }

    /// Uploads a package; returns its digest.
    std::string upload(const std::string& version, package_files files = {}, const std::string& tenant = "ten_00000000000000000000000001")
    {
        files["SKILL.md"] = skill_md("x", version);
        const auto bytes = zip_of(files);
        skill_revision row;
        row.tenant = tenant_id::from_trusted(tenant);
        row.manifest.name = "x";
        row.manifest.version = version;
        row.digest = sha256_hex(bytes);
        row.content = contents_.keep(row.tenant, bytes).id;
        row.size_bytes = static_cast<std::int64_t>(bytes.size());
        row.format = "zip";
        return run(skills_.put(row, {}))->kept.digest;
    }
    result<tree> try_open(const std::string& digest) { return run(cache_->open(tenant_, digest)); }
    tree open(const std::string& digest) { return try_open(digest).value(); }
    void use(const std::string& digest)
    {
        open(digest);
        run(cache_->idle());
    }
    bool is_there(const std::string& digest) { return fs::exists(dir_ / "skills" / tenant_.str() / digest); }
    std::string left() { return paths_below(dir_ / "skills"); }

    const tenant_id tenant_ = tenant_id::from_trusted("ten_00000000000000000000000001");
    temp_dir dir_;
    busy_context busy_;
    system_timers time_;
    null_logger log_;
    worker_pool work_{"tree-test", 2};
    fake_skill_store skills_;
    fake_content_store contents_;
    std::set<tree_key> claimed_;
    std::unique_ptr<tree_cache> cache_;
};

TEST_F(TreeCache, HasThePackagesFilesReadOnly)
{
    const auto one = open(upload("1.0.0", {{"scripts/main.sh", "#!/bin/sh\necho hi\n"}, {"scripts/data.txt", "d"}}));
    EXPECT_TRUE(one->path().is_absolute());
    EXPECT_EQ(paths_below(one->path()), "SKILL.md scripts scripts/data.txt scripts/main.sh ");
    EXPECT_EQ(read_file(one->path() / "scripts/data.txt"), "d");
    const auto mode = [&one](const std::string& path) {
        struct stat seen{};
        ::stat((one->path() / path).c_str(), &seen);
        return seen.st_mode & 07777;
    };
    EXPECT_EQ(mode("scripts/main.sh"), 0555u);
    EXPECT_EQ(mode("scripts/data.txt"), 0444u);
    EXPECT_EQ(mode("scripts"), 0555u);
    EXPECT_EQ(mode(""), 0555u);
}

TEST_F(TreeCache, ExtractsOnce)
{
    const auto digest = upload("1.0.0");
    std::vector<tree> got;
    const auto take = [&got](std::exception_ptr, auto opened) { got.push_back(opened.value()); };
    for (int i = 0; i < 3; ++i)
        asio::co_spawn(busy_.context.get_executor(), cache_->open(tenant_, digest), take);
    while (got.size() < 3)
        busy_.context.run_one();
    EXPECT_EQ(contents_.calls(), 1u) << "reads";
    EXPECT_EQ(open(digest)->path(), got[0]->path());
    EXPECT_EQ(contents_.calls(), 1u);
}

TEST_F(TreeCache, WhatTheTenantDoesNotHaveIsNotFound)
{
    const auto theirs = upload("1.0.0", {}, "ten_00000000000000000000000002");
    EXPECT_EQ(try_open(theirs).error().code, errc::not_found);
    EXPECT_EQ(try_open(std::string(64, 'a')).error().code, errc::not_found);
    EXPECT_EQ(left(), "boot ");
}

TEST_F(TreeCache, ADamagedPackageIsRefusedAndLeavesNothing)
{
    const auto digest = upload("1.0.0");
    auto row = *run(skills_.find_digest(tenant_, digest));
    run(skills_.erase(tenant_, "x", ""));
    row.content = contents_.keep(tenant_, zip_of({{"SKILL.md", skill_md("x", "1.0.1")}})).id;
    run(skills_.put(row, {}));
    EXPECT_EQ(try_open(digest).error().code, errc::internal);
    run(cache_->idle());
    EXPECT_EQ(left(), "boot ");
}

TEST_F(TreeCache, AFailureIsToldAndTheNextOpenTriesAgain)
{
    const auto digest = upload("1.0.0");
    contents_.fail_next({errc::runtime_unavailable, "disk"});
    EXPECT_EQ(try_open(digest).error().code, errc::runtime_unavailable);
    contents_.throw_next("broken");
    EXPECT_EQ(try_open(digest).error().code, errc::internal);
    EXPECT_TRUE(try_open(digest).has_value());
}

TEST_F(TreeCache, WhatWasUsedLongestAgoGoesAndWhatIsHeldStays)
{
    start(30'000);    // each takes 12,288: a directory, SKILL.md and its block
    settle();
    const auto a = upload("1.0.0");
    const auto b = upload("2.0.0");
    const auto c = upload("3.0.0");
    const auto held = open(a);
    use(b);
    use(c);
    EXPECT_TRUE(is_there(a)) << "held";
    EXPECT_FALSE(is_there(b));
    EXPECT_TRUE(is_there(c));
    EXPECT_EQ(cache_->bytes(), 24'576);
    use(b);
    EXPECT_FALSE(is_there(c));
}

TEST_F(TreeCache, WhatIsHeldMayBeMoreThanTheBoundAndGoesWhenItIsGivenBack)
{
    start(0);
    settle();
    const auto digest = upload("1.0.0");
    auto held = open(digest);
    EXPECT_TRUE(fs::exists(held->path() / "SKILL.md"));
    held.reset();
    run(cache_->idle());
    EXPECT_FALSE(is_there(digest));
    EXPECT_EQ(left(), "boot " + tenant_.str() + " ");
}

TEST_F(TreeCache, ALeaseMayOutliveTheCache)
{
    auto held = open(upload("1.0.0"));
    run(cache_->stop());
    cache_ = std::make_unique<tree_cache>(
        tree_cache_services{busy_.context.get_executor(), time_, log_, work_, skills_, contents_, {}}, tree_cache_options{dir_ / "other"});
    EXPECT_TRUE(fs::exists(held->path()));
    held.reset();
}

TEST_F(TreeCache, TheNextServerFindsWhatIsWholeAndRemovesTheRest)
{
    const auto digest = upload("1.0.0");
    use(digest);
    const auto top = dir_ / "skills";
    fs::create_directories(top / "tree-7" / "tree");
    write_file(top / "package-3", "half");
    fs::create_directories(top / tenant_.str() / std::string(64, 'b') / "tree");
    fs::create_directories(top / tenant_.str() / "odd");
    fs::create_directories(top / "nobody");
    start();
    EXPECT_EQ(left(), "boot " + tenant_.str() + " " + tenant_.str() + "/" + digest + " " + tenant_.str() + "/" + digest + "/size " +
                          tenant_.str() + "/" + digest + "/tree " + tenant_.str() + "/" + digest + "/tree/SKILL.md ");
    const auto reads = contents_.calls();
    use(digest);
    EXPECT_EQ(contents_.calls(), reads) << "not extracted again";
    EXPECT_EQ(cache_->bytes(), 12'288);
}

TEST_F(TreeCache, AfterABootNothingIsTrusted)
{
    use(upload("1.0.0"));
    write_file(dir_ / "skills" / "boot", "another");
    start();
    EXPECT_EQ(left(), "boot ");
    start();
    EXPECT_EQ(read_file(dir_ / "skills" / "boot"), boot_id());
}

TEST_F(TreeCache, ATreeThatLostAFileIsExtractedAgain)
{
    const auto digest = upload("1.0.0", {{"scripts/main.sh", "echo"}});
    use(digest);
    const auto place = dir_ / "skills" / tenant_.str() / digest / "tree";
    fs::permissions(place / "scripts", fs::perms::owner_all);
    fs::remove(place / "scripts" / "main.sh");
    start();
    settle();
    EXPECT_TRUE(fs::exists(open(digest)->path() / "scripts" / "main.sh"));
}

TEST_F(TreeCache, WhatAnEarlierServersSandboxesUseStaysUntilTheyEnd)
{
    const auto used = upload("1.0.0");
    const auto idle = upload("2.0.0");
    use(used);
    use(idle);
    claimed_ = {{tenant_, used}};
    start(0);
    run(cache_->idle());
    EXPECT_TRUE(is_there(used) && is_there(idle)) << "nobody knows yet";
    settle();
    EXPECT_TRUE(is_there(used));
    EXPECT_FALSE(is_there(idle));
    claimed_.clear();
    use(upload("3.0.0"));
    EXPECT_FALSE(is_there(used));
}

TEST_F(TreeCache, AServerThatEndsLeavesWhatItsSandboxesUse)
{
    start(0);
    settle();
    const auto digest = upload("1.0.0");
    auto held = open(digest);
    cache_->keep_all();
    held.reset();
    run(cache_->idle());
    EXPECT_TRUE(is_there(digest));
    claimed_ = {{tenant_, digest}};
    start(0);
    settle();
    EXPECT_TRUE(is_there(digest));
}

TEST_F(TreeCache, APackageThatWasRemovedIsNotOpenedAnyMore)
{
    const auto digest = upload("1.0.0");
    settle();
    auto held = open(digest);
    run(skills_.erase(tenant_, "x", "1.0.0"));
    cache_->forget(tenant_, digest);
    run(cache_->idle());
    EXPECT_EQ(try_open(digest).error().code, errc::not_found);
    EXPECT_THAT(try_open(digest).error().detail, ::testing::HasSubstr("it was deleted"));
    EXPECT_TRUE(fs::exists(held->path() / "SKILL.md")) << "who has it keeps it";
    held.reset();
    run(cache_->idle());
    EXPECT_FALSE(is_there(digest));
}

/// The record is read before the removal and comes back after it.
TEST_F(TreeCache, APackageThatIsRemovedWhileItIsLookedUpIsNotOpened)
{
    const auto digest = upload("1.0.0");
    settle();
    use(digest);
    skills_.on_found = [&] {
        skills_.on_found = {};
        asio::io_context other;
        EXPECT_TRUE(run_task(other, skills_.erase(tenant_, "x", "1.0.0")).has_value());
        cache_->forget(tenant_, digest);
    };
    EXPECT_EQ(try_open(digest).error().code, errc::not_found);
    run(cache_->idle());
    EXPECT_FALSE(is_there(digest));
}

TEST_F(TreeCache, ATreeThatWasInUseAtTheStartIsLookedAtOnceItIsFree)
{
    const auto digest = upload("1.0.0", {{"scripts/main.sh", "echo"}});
    use(digest);
    claimed_ = {{tenant_, digest}};
    start();
    settle();
    use(digest);
    const auto place = dir_ / "skills" / tenant_.str() / digest / "tree";
    fs::permissions(place / "scripts", fs::perms::owner_all);
    fs::remove(place / "scripts" / "main.sh");
    EXPECT_FALSE(fs::exists(open(digest)->path() / "scripts" / "main.sh")) << "it is a sandbox's: it stays as it is";
    claimed_.clear();
    EXPECT_TRUE(fs::exists(open(digest)->path() / "scripts" / "main.sh"));
}

TEST_F(TreeCache, DirectoriesCountToo)
{
    use(upload("1.0.0", {{"a/b/c/x", ""}, {"a/b/y", ""}}));
    EXPECT_EQ(cache_->bytes(), 4 * 4'096 + 3 * 4'096 + 4'096) << "four directories, three files, the block of SKILL.md";
}

TEST_F(TreeCache, APackageThatCameBackIsOpenedAgain)
{
    const auto digest = upload("1.0.0");
    settle();
    auto held = open(digest);
    run(skills_.erase(tenant_, "x", "1.0.0"));
    cache_->forget(tenant_, digest);
    EXPECT_EQ(upload("1.0.0"), digest);
    EXPECT_EQ(open(digest)->path(), held->path());
    held.reset();
    run(cache_->idle());
    EXPECT_TRUE(is_there(digest));
}

TEST_F(TreeCache, ASandboxOfAnEarlierServerIsTakenUpAlsoIfItsPackageWasRemoved)
{
    const auto digest = upload("1.0.0");
    use(digest);
    run(skills_.erase(tenant_, "x", "1.0.0"));
    claimed_ = {{tenant_, digest}};
    start();
    auto held = open(digest);
    settle();
    EXPECT_TRUE(fs::exists(held->path() / "SKILL.md"));
    claimed_.clear();
    held.reset();
    run(cache_->idle());
    EXPECT_FALSE(is_there(digest));
}

TEST_F(TreeCache, ATreeWhosePackageWasRemovedWhileNoServerRanGoes)
{
    const auto digest = upload("1.0.0");
    use(digest);
    run(skills_.erase(tenant_, "x", "1.0.0"));
    start();
    settle();
    EXPECT_FALSE(is_there(digest));
}

}    // namespace

}    // namespace caisson::testing
