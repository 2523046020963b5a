// Results of compilations on the disk: given back to whom they came from, whole or not at all, over restarts, within bounds.

#include "app/compile/kept_results.hpp"

#include "adapters/crypto/sha256_hasher.hpp"
#include "app/compile/compiled_entry.hpp"
#include "tests/storage/busy_context.hpp"
#include "tests/storage/temp_dir.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace caisson::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Keeps warnings.
class warnings : public logger {
public:
    void write(log_level level, std::string_view message, std::initializer_list<log_field>) noexcept override
    {
        if (level >= log_level::warning)
            all.emplace_back(message);
    }
    std::vector<std::string> all;
};

class KeptResults : public ::testing::Test {
protected:
    KeptResults()
    {
        places_.trees = {(dir_ / "usr").string()};
        places_.small_trees.clear();
        places_.files = {(dir_ / "status").string()};
        fs::create_directory(dir_ / "usr");
        write_file(dir_ / "cc", "compiler");
        tools_.emplace(&make_sha256_hasher, places_);
        start();
    }
    ~KeptResults() override { stop(); }

    void stop()
    {
        if (kept_)
            run_task(busy_.context, kept_->stop());
        kept_.reset();
    }
    void start(compile_cache_bounds bounds = {}, std::string boot = "boot-1")
    {
        stop();
        kept_ = std::make_unique<kept_results>(
            kept_results_services{busy_.context.get_executor(), time_, log_, work_, *tools_, &make_sha256_hasher},
            kept_results_options{dir_ / "compiled", std::move(boot), bounds});
        run_task(busy_.context, kept_->prepare());
        run_task(busy_.context, kept_->idle());
    }

    compile_inputs inputs(const std::string& code = "int main;", const tenant_id& of = mine_)
    {
        compile_inputs out;
        out.tenant = of;
        out.language = "c";
        out.runtime = "bubblewrap";
        out.argv = {(dir_ / "cc").string(), "main.c"};
        out.directory = "/workspace";
        out.files = {{"main.c", 0644, shared_bytes(code)}};
        return out;
    }
    compile_cache::answer find(compile_inputs of) { return run_task(busy_.context, kept_->find(std::move(of))); }
    /// As compile_stage does it.
    std::string keep(const compile_inputs& of, std::string content = "ELF")
    {
        auto key = find(of).key;
        kept_->keep(of, key, {"a warning", false, {{".caisson/main", 0755, shared_bytes(std::move(content))}}});
        run_task(busy_.context, kept_->idle());
        return key;
    }
    std::vector<fs::path> files() const
    {
        std::vector<fs::path> out;
        for (const auto& each : fs::recursive_directory_iterator(dir_ / "compiled"))
            if (!each.is_directory())
                out.push_back(each.path());
        return out;
    }

    static inline const auto mine_ = tenant_id::from_trusted("ten_00000000000000000000000001");
    static inline const auto theirs_ = tenant_id::from_trusted("ten_00000000000000000000000002");
    temp_dir dir_;
    busy_context busy_;
    warnings log_;
    fake_timers time_{busy_.context.get_executor()};
    tool_places places_;
    std::optional<host_tools> tools_;
    worker_pool work_{"test", 2};
    std::unique_ptr<kept_results> kept_;
};

TEST_F(KeptResults, GiveBackWhatWasKept)
{
    EXPECT_FALSE(find(inputs()).found);
    keep(inputs());
    const auto found = find(inputs()).found;
    ASSERT_TRUE(found);
    EXPECT_EQ(found->output, "a warning");
    ASSERT_EQ(found->files.size(), 1u);
    EXPECT_EQ(found->files[0].content, "ELF");
    EXPECT_EQ(found->files[0].mode, 0755u);
    EXPECT_THAT(files(), SizeIs(1));
    EXPECT_THAT(log_.all, IsEmpty());
}

TEST_F(KeptResults, AreOneTenantsOwn)
{
    keep(inputs());
    EXPECT_FALSE(find(inputs("int main;", theirs_)).found);
    EXPECT_FALSE(find(inputs("int main ;")).found);
    EXPECT_TRUE(find(inputs()).found);
}

TEST_F(KeptResults, CannotBeReadByOtherUsers)
{
    keep(inputs());
    struct stat about{};
    ASSERT_EQ(::stat(files()[0].c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0600U);
    ASSERT_EQ(::stat((dir_ / "compiled").c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, 0700U);
}

TEST_F(KeptResults, SurviveAServer)
{
    keep(inputs());
    start();
    EXPECT_TRUE(find(inputs()).found);
    EXPECT_GT(kept_->bytes(), 0);
}

TEST_F(KeptResults, OfAnEarlierBootAreDropped)
{
    keep(inputs());
    start({}, "boot-2");
    EXPECT_FALSE(find(inputs()).found);
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(KeptResults, ThatAreHalfWrittenAreDroppedByTheNextServer)
{
    keep(inputs());
    stop();
    const auto whole = files()[0];
    write_file(whole.parent_path().parent_path() / "new-1", "half");
    write_file(whole.parent_path() / "garbage", "x");
    fs::create_directory(dir_ / "compiled/boot-1/not-a-tenant");
    fs::create_symlink("/etc/passwd", whole.parent_path() / std::string(64, 'c'));
    start();
    EXPECT_THAT(files(), ::testing::ElementsAre(whole));
    EXPECT_TRUE(fs::exists("/etc/passwd"));
}

struct damage_case {
    std::string_view name;
    void (*damage)(const fs::path&);
};
void PrintTo(const damage_case& c, std::ostream* out) { *out << c.name; }
class KeptResultsDamage : public KeptResults, public ::testing::WithParamInterface<damage_case> { };

TEST_P(KeptResultsDamage, IsNotGivenOut)
{
    keep(inputs());
    GetParam().damage(files()[0]);
    EXPECT_FALSE(find(inputs()).found);
    EXPECT_THAT(log_.all, SizeIs(1));
    EXPECT_FALSE(find(inputs()).found) << "it is compiled anew";
    keep(inputs());
    EXPECT_TRUE(find(inputs()).found);
    EXPECT_THAT(log_.all, SizeIs(1));
}

INSTANTIATE_TEST_SUITE_P(Cases, KeptResultsDamage,
    ::testing::Values(damage_case{"flipped",
                          [](const fs::path& file) {
                              auto bytes = read_file(file);
                              bytes.back() = static_cast<char>(bytes.back() ^ 4);
                              write_file(file, bytes);
                          }},
        damage_case{"cut", [](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 1); }},
        damage_case{"empty", [](const fs::path& file) { fs::resize_file(file, 0); }},
        damage_case{"gone", [](const fs::path& file) { fs::remove(file); }},
        damage_case{"a_link",
            [](const fs::path& file) {
                fs::rename(file, file.parent_path() / "elsewhere");
                fs::create_symlink("elsewhere", file);
            }},
        damage_case{"another_entry",
            [](const fs::path& file) {
                const auto other = pack_entry(
                    tenant_id::from_trusted("ten_00000000000000000000000002"), file.filename().string(), {}, *make_sha256_hasher());
                write_file(file, other);
            }},
        damage_case{"huge", [](const fs::path& file) { fs::resize_file(file, 1LL << 33); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(KeptResults, AreNoneOfOtherTools)
{
    keep(inputs());
    write_file(dir_ / "status", "upgraded");
    EXPECT_FALSE(find(inputs()).found);
}

TEST_F(KeptResults, OfToolsThatChangedMeanwhileAreNotKept)
{
    const auto key = find(inputs()).key;
    write_file(dir_ / "status", "upgraded");
    kept_->keep(inputs(), key, {"", false, {}});
    run_task(busy_.context, kept_->idle());
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(KeptResults, OfAnImageDoNotAskForThisHostsTools)
{
    auto of = inputs();
    of.image_digest = "sha256:1";
    of.argv[0] = "gcc";
    keep(of);
    write_file(dir_ / "status", "upgraded");
    EXPECT_TRUE(find(of).found);
}

TEST_F(KeptResults, GoWhenThereAreTooMany)
{
    start({.most_bytes = 1 << 20, .most_bytes_of_tenant = 3 * 8'192, .most_entry_bytes = 8'192});
    for (const std::string code : {"1", "2", "3"})
        keep(inputs(code));
    EXPECT_TRUE(find(inputs("1")).found);
    keep(inputs("4"));
    EXPECT_THAT(files(), SizeIs(3));
    EXPECT_TRUE(find(inputs("1")).found);
    EXPECT_FALSE(find(inputs("2")).found);
    start({.most_bytes = 1 << 20, .most_bytes_of_tenant = 8'192, .most_entry_bytes = 8'192});
    EXPECT_THAT(files(), SizeIs(1)) << "also when a server begins with less";
}

TEST_F(KeptResults, ThatAreTooLargeAreNotKept)
{
    start({.most_bytes = 1 << 20, .most_bytes_of_tenant = 1 << 20, .most_entry_bytes = 1'000});
    keep(inputs(), std::string(1'001, 'x'));
    EXPECT_THAT(files(), IsEmpty());
    EXPECT_EQ(kept_->most_bytes(), 1'000);
}

TEST_F(KeptResults, WithoutRoomAreNone)
{
    start({.most_bytes = 0});
    EXPECT_LT(kept_->most_bytes(), 0);
    EXPECT_EQ(find(inputs()).key, "");
}

TEST_F(KeptResults, ThatCannotBeWrittenAreToldOnce)
{
    keep(inputs());
    fs::permissions(dir_ / "compiled/boot-1", fs::perms::owner_read | fs::perms::owner_exec);
    fs::remove_all(dir_ / "compiled");
    write_file(dir_ / "compiled", "in the way");
    keep(inputs("1"));
    keep(inputs("2"));
    EXPECT_FALSE(find(inputs("1")).found);
    EXPECT_THAT(log_.all, SizeIs(1));
    fs::remove(dir_ / "compiled");
    start();
    keep(inputs("1"));
    EXPECT_TRUE(find(inputs("1")).found);
}

TEST_F(KeptResults, ThatCannotBeFoundAreNotKept)
{
    stop();
    fs::remove_all(dir_ / "compiled");
    write_file(dir_ / "compiled", "in the way");
    start();
    EXPECT_THAT(log_.all, SizeIs(1));
    EXPECT_LT(kept_->most_bytes(), 0);
    EXPECT_EQ(find(inputs()).key, "");
    fs::remove(dir_ / "compiled");
    fs::create_directory(dir_ / "compiled");
}

TEST_F(KeptResults, OfTheSameAtOnceAreOne)
{
    const auto key = find(inputs()).key;
    for (int i = 0; i < 3; ++i)
        kept_->keep(inputs(), key, {"", false, {}});
    run_task(busy_.context, kept_->idle());
    EXPECT_THAT(files(), SizeIs(1));
    EXPECT_TRUE(find(inputs()).found);
}

}    // namespace
}    // namespace caisson::testing
