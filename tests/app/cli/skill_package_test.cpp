#include "adapters/archive/package_reader.hpp"
#include "app/cli/skill_check.hpp"
#include "app/cli/skill_package.hpp"
#include "app/cli/skill_scaffold.hpp"
#include "app/cli/skill_source.hpp"
#include "tests/app/cli/captured.hpp"
#include "tests/storage/temp_dir.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <fstream>

namespace caisson::cli {
namespace {

namespace fs = std::filesystem;

using caisson::testing::read_file;
using caisson::testing::temp_dir;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SkillFolder : public ::testing::Test {
protected:
    SkillFolder() { static_cast<void>(write_scaffold(folder_, "python")); }

    void write(const std::string& name, const std::string& content) const
    {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << content;
    }
    std::vector<std::string> packed_paths() const
    {
        const auto packed = temporary_package::of(folder_);
        std::vector<std::string> paths;
        for (const auto& each : inspect_package(packed.value().path(), {}).value().entries)
            paths.push_back(each.path);
        return paths;
    }
    skill_report report() const { return check_skill(skill_source::open(folder_).value().package()).value(); }

    temp_dir home_;
    fs::path folder_ = home_.path() / "shout";
    verb_context context_;
};

TEST_F(SkillFolder, PacksTheSameBytesWheneverItIsMade)
{
    const auto first = temporary_package::of(folder_);
    fs::last_write_time(folder_ / "SKILL.md", fs::file_time_type() + std::chrono::hours(1));
    const auto second = temporary_package::of(folder_);
    EXPECT_EQ(read_file(first->path()), read_file(second->path()));
    EXPECT_EQ(first->what().sha256, second->what().sha256);
    EXPECT_EQ(first->what().size_bytes, static_cast<std::int64_t>(fs::file_size(first->path())));
}

TEST_F(SkillFolder, LeavesLitterOut)
{
    for (const auto* name :
        {".git/config", "__pycache__/a.pyc", "node_modules/x/y.js", "scripts/.DS_Store", "scripts/main.py~", "data/x.git"})
        write(name, "x");
    EXPECT_THAT(packed_paths(), ElementsAre("SKILL.md", "data/x.git", "example-input.json", "scripts/main.py"));
    EXPECT_THAT(temporary_package::of(folder_)->what().left_out,
        ElementsAre(".git/", "__pycache__/", "node_modules/", "scripts/.DS_Store", "scripts/main.py~"));
}

TEST_F(SkillFolder, LeavesSecretsOutAndSaysSo)
{
    for (const auto* name : {".env", ".env.local", ".env.example", "scripts/.netrc", ".ssh/id_rsa", "env", "environment.env"})
        write(name, "KEY=1");
    EXPECT_THAT(packed_paths(), ElementsAre(".env.example", "SKILL.md", "env", "environment.env", "example-input.json", "scripts/main.py"));
    EXPECT_THAT(temporary_package::of(folder_)->what().secrets, ElementsAre(".env", ".env.local", ".ssh/", "scripts/.netrc"));
    const auto packed = captured(skill_pack_options{folder_, home_.path() / "out.zip", false}, context_);
    EXPECT_THAT(packed.err, HasSubstr("left out, as such files hold secrets: .env, .env.local, .ssh/, scripts/.netrc\n"));
}

TEST_F(SkillFolder, KeepsNamesByteForByte)
{
    for (const std::string name : {"e\xCC\x81.txt", "\xE1\x84\x92\xE1\x85\xA1.txt"})
        write(name, name);
    EXPECT_THAT(
        packed_paths(), ElementsAre("SKILL.md", "example-input.json", "e\xCC\x81.txt", "scripts/main.py", "\xE1\x84\x92\xE1\x85\xA1.txt"));
    EXPECT_TRUE(report().is_clean()) << report_text(report());
    write("\xC3\xA9.txt", "the same name in another form");
    EXPECT_THAT(report_text(report()), HasSubstr("two names differ only by case or Unicode form"));
}

TEST_F(SkillFolder, IsNoPlaceForItsOwnPackage)
{
    fs::create_directory_symlink(folder_, home_.path() / "alias");
    for (const auto& target : {folder_ / "a.zip", folder_ / "scripts" / "a.zip", home_.path() / "alias" / "a.zip"}) {
        const auto got = captured(skill_pack_options{folder_, target, true}, context_);
        EXPECT_EQ(got.status, 2) << target;
        EXPECT_THAT(got.err, HasSubstr("would lie in the folder that is packed; name another place: -o ../a.zip"));
        EXPECT_FALSE(fs::exists(target));
    }
    EXPECT_EQ(captured(skill_pack_options{folder_, home_.path() / "shout.zip", false}, context_).status, 0);    // its name begins alike
}

TEST_F(SkillFolder, KeepsTheExecutableBitAndNothingElseOfTheMode)
{
    ::chmod((folder_ / "scripts/main.py").c_str(), 04710);
    const auto packed = temporary_package::of(folder_);
    const auto entries = inspect_package(packed->path(), {}).value().entries;
    EXPECT_EQ(entries.back().mode, 0755U);
    EXPECT_EQ(entries.front().mode, 0644U);
}

TEST_F(SkillFolder, NamesEveryLinkAndDevice)
{
    fs::create_symlink("/etc/passwd", folder_ / "link");
    ::mkfifo((folder_ / "pipe").c_str(), 0600);
    const auto refused = temporary_package::of(folder_);
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::invalid_skill);
    EXPECT_THAT(refused.error().detail, HasSubstr("link is a symbolic link"));
    EXPECT_THAT(refused.error().detail, HasSubstr("pipe is neither"));
}

TEST_F(SkillFolder, LeavesNoTemporaryFile)
{
    fs::path path;
    {
        const auto packed = temporary_package::of(folder_);
        path = packed->path();
        EXPECT_TRUE(fs::exists(path));
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(SkillFolder, LintTellsAllMistakesWithTheirLines)
{
    write("SKILL.md", "---\nname: x\nversion: 1\nresources:\n  memory: lots\ntimeout: 60\nlang: ruby\n---\n");
    const auto found = report();
    EXPECT_FALSE(found.is_clean());
    EXPECT_THAT(report_text(found), HasSubstr("SKILL.md:3: version \"1\" must be semver"));
    EXPECT_THAT(report_text(found), HasSubstr("SKILL.md:5: resources.memory"));
    EXPECT_THAT(report_text(found), HasSubstr("SKILL.md:6: parse timeout"));
    EXPECT_THAT(report_text(found), HasSubstr("\ndescription is required\n"));    // of no line
    write("SKILL.md", "\n---\nname: x\nlang: [python\n---\n");
    EXPECT_THAT(report_text(report()), HasSubstr("parse frontmatter YAML: line 4: "));
}

TEST_F(SkillFolder, LintNotesUnknownKeys)
{
    write("SKILL.md", "---\nname: x\nversion: 1.0.0\ndescription: d\nlang: python\ncolour: red\n---\n");
    const auto found = report();
    EXPECT_TRUE(found.is_clean());
    ASSERT_EQ(found.findings.size(), 1u);
    EXPECT_EQ(found.findings.front().line, 6);
    EXPECT_THAT(report_text(found), HasSubstr("SKILL.md:6: note: "));
    EXPECT_THAT(report_text(found), HasSubstr("colour"));
}

TEST_F(SkillFolder, LintOfWhatIsNoArchive)
{
    write("x.zip", "not a zip");
    const auto got = captured(skill_lint_options{folder_ / "x.zip", true}, context_);
    EXPECT_EQ(got.status, 1);
    EXPECT_THAT(got.out, HasSubstr("\"valid\":false"));
    EXPECT_EQ(captured(skill_lint_options{folder_ / "absent", false}, context_).status, 2);
}

TEST_F(SkillFolder, PackReplacesOnlyWithForce)
{
    skill_pack_options options{folder_, home_.path() / "out.zip", false};
    const auto first = captured(options, context_);
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_THAT(first.out, HasSubstr("out.zip (3 files"));
    const auto second = captured(options, context_);
    EXPECT_EQ(second.status, 1);
    EXPECT_THAT(second.err, HasSubstr("--force"));
    options.force = true;
    EXPECT_EQ(captured(options, context_).status, 0);
    EXPECT_FALSE(fs::exists(home_.path() / "out.zip.partial"));
    write("SKILL.md", "nothing");
    fs::remove(*options.target);
    EXPECT_EQ(captured(options, context_).status, 1);
    EXPECT_FALSE(fs::exists(*options.target));
}

class Scaffold : public ::testing::TestWithParam<const char*> { };

TEST_P(Scaffold, IsASkill)
{
    const temp_dir home;
    const auto folder = home.path() / "my-skill.1";
    ASSERT_TRUE(write_scaffold(folder, GetParam()).has_value());
    const auto found = check_skill(skill_source::open(folder).value().package());
    ASSERT_TRUE(found->is_clean()) << report_text(*found);
    EXPECT_THAT(report_text(*found), IsEmpty());
    EXPECT_EQ(found->manifest->name, "my-skill.1");
    EXPECT_EQ(found->manifest->lang, GetParam());
    EXPECT_EQ(write_scaffold(folder, GetParam()).error().code, errc::conflict);
}

INSTANTIATE_TEST_SUITE_P(Languages, Scaffold, ::testing::Values("python", "node", "bash"));

TEST(ScaffoldName, MustBeOneThatASkillMayHave)
{
    const temp_dir home;
    for (const auto* name : {"a b", "-x", "ä", ".hidden"})
        EXPECT_EQ(write_scaffold(home.path() / name, "python").error().code, errc::bad_request) << name;
    EXPECT_TRUE(fs::is_empty(home.path()));
}

}    // namespace
}    // namespace caisson::cli
