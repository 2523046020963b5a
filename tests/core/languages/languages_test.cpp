#include "core/languages/languages.hpp"

#include "tests/support/run_task.hpp"

#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace caisson {

namespace fs = std::filesystem;

namespace {

struct name_case {
    std::string_view name;
    std::string_view want;    // empty: not known
};
class LanguageName : public ::testing::TestWithParam<name_case> { };
TEST_P(LanguageName, FindsTheCanonicalOne)
{
    const auto* found = find_language(GetParam().name);
    EXPECT_EQ(found == nullptr ? "" : found->name, GetParam().want);
}
INSTANTIATE_TEST_SUITE_P(Cases, LanguageName,
    ::testing::Values(name_case{"python", "python"}, name_case{"py", "python"}, name_case{"python3", "python"}, name_case{"PY", "python"},
        name_case{"javascript", "javascript"}, name_case{"js", "javascript"}, name_case{"node", "javascript"}, name_case{"bash", "bash"},
        name_case{"sh", "bash"}, name_case{"", ""}, name_case{"pyt", ""}, name_case{"cobol", ""}, name_case{"python ", ""}));

struct version_case {
    std::string_view name;
    std::string_view output;
    std::string_view want;
};
class Version : public ::testing::TestWithParam<version_case> { };
TEST_P(Version, IsTheFirstDottedNumber) { EXPECT_EQ(version_in(GetParam().output), GetParam().want); }
INSTANTIATE_TEST_SUITE_P(Cases, Version,
    ::testing::Values(version_case{"python", "Python 3.11.2\n", "3.11.2"}, version_case{"node", "v18.20.4\n", "18.20.4"},
        version_case{"bash", "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\nCopyright (C) 2022 …", "5.2.15"},
        version_case{"number_before", "tool 2 is 1.0", "1.0"}, version_case{"dot_at_the_end", "It is 4.5. Enjoy.", "4.5"},
        version_case{"none", "command not found", ""}, version_case{"empty", "", ""},
        version_case{"absurd", "1.11111111111111111111111111111111111111111111111111", ""}),
    [](const auto& info) { return std::string(info.param.name); });

class FindProgram : public ::testing::Test {
protected:
    FindProgram()
    {
        std::string pattern = fs::temp_directory_path() / "caisson-programs-XXXXXX";
        root_ = fs::canonical(::mkdtemp(pattern.data()));
        for (auto name : {"bin", "local", "outside"})
            fs::create_directory(root_ / name);
    }
    ~FindProgram() override { fs::remove_all(root_); }

    fs::path put(const fs::path& name, std::string_view content, fs::perms mode = fs::perms::owner_all)
    {
        std::ofstream(root_ / name, std::ios::binary) << content;
        fs::permissions(root_ / name, mode);
        return root_ / name;
    }
    std::optional<std::string> find(std::string_view name)
    {
        const std::vector<fs::path> directories{root_ / "usr/bin", root_ / "bin", root_ / "local"};
        return find_program_in(name, directories, root_);
    }

    static constexpr std::string_view elf = "\x7f"
                                            "ELF and so on";
    fs::path root_;
};

TEST_F(FindProgram, TakesTheFirstRealOne)
{
    put("local/node", elf);
    EXPECT_EQ(find("node"), root_ / "local/node");
    put("bin/node", elf);
    EXPECT_EQ(find("node"), root_ / "bin/node");
}

TEST_F(FindProgram, PassesOverAScript)
{
    put("bin/python3", "#!/bin/sh\nexec pyenv exec python3\n");
    EXPECT_FALSE(find("python3"));
    put("local/python3", elf);
    EXPECT_EQ(find("python3"), root_ / "local/python3");
}

TEST_F(FindProgram, FollowsLinksButNotOutOfTheRoot)
{
    put("bin/python3.11", elf);
    fs::create_symlink("python3.11", root_ / "bin/python3");
    EXPECT_EQ(find("python3"), root_ / "bin/python3");
    const std::vector<fs::path> directories{root_ / "bin"};
    put("outside/node", elf);
    fs::create_symlink(root_ / "outside/node", root_ / "bin/node");
    EXPECT_FALSE(find_program_in("node", directories, root_ / "bin"));
}

TEST_F(FindProgram, PassesOverWhatCannotRun)
{
    put("bin/bash", elf, fs::perms::none);
    if (::access((root_ / "bin/bash").c_str(), X_OK) != 0) {
        EXPECT_FALSE(find("bash"));
    }
    fs::create_directory(root_ / "bin/node");
    fs::create_symlink("nowhere", root_ / "bin/python3");
    put("local/short", "\x7f");
    for (auto name : {"node", "python3", "short", "missing"})
        EXPECT_FALSE(find(name)) << name;
}

std::optional<std::string> only_python(std::string_view name)
{
    return name == "python3" ? std::optional<std::string>("/usr/bin/python3") : std::nullopt;
}

TEST(LanguageCatalog, KnowsWhatIsInstalled)
{
    const language_catalog catalog(&only_python);
    EXPECT_EQ(catalog.entries().size(), known_languages().size());
    ASSERT_NE(catalog.find("py"), nullptr);
    EXPECT_TRUE(catalog.find("py")->available());
    ASSERT_NE(catalog.find("node"), nullptr);
    EXPECT_FALSE(catalog.find("node")->available());
    EXPECT_EQ(catalog.find("cobol"), nullptr);
    EXPECT_EQ(catalog.available_names(), "python");
    EXPECT_EQ(catalog.find("c++")->missing(), "g++");
}

TEST(LanguageCatalog, ALanguageNeedsItsCompilerItsScriptAndItsInterpreter)
{
    std::vector<std::string> there{"node", "javac", "mono"};
    const program_finder find = [&there](std::string_view name) {
        const bool has = std::ranges::find(there, name) != there.end();
        return has ? std::optional("/usr/bin/" + std::string(name)) : std::nullopt;
    };
    EXPECT_EQ(language_catalog(find).find("typescript")->missing(), "/usr/share/nodejs/typescript/bin/tsc");
    EXPECT_EQ(language_catalog(find).find("java")->missing(), "java");
    EXPECT_EQ(language_catalog(find).find("c#")->missing(), "/usr/lib/mono/4.5/mcs.exe");
    EXPECT_EQ(language_catalog(find).available_names(), "javascript");
    there = {"java", "javac", "node", "/usr/share/nodejs/typescript/bin/tsc", "lua5.3", "mawk"};
    EXPECT_EQ(language_catalog(find).available_names(), "awk, java, javascript, lua, typescript");
    EXPECT_EQ(language_catalog(find).find("lua")->path, "/usr/bin/lua5.3");
}

TEST(LanguageTable, IsInOrderAndWithoutContradictions)
{
    std::vector<std::string_view> names;
    std::set<std::string> words;
    for (const auto& row : known_languages()) {
        names.push_back(row.name);
        EXPECT_FALSE(row.package.empty() || row.file.empty()) << row.name;
        EXPECT_TRUE(row.compile != nullptr || !row.interpreter.empty()) << row.name;
        EXPECT_TRUE(row.compile == nullptr || !row.run.empty()) << row.name;
        EXPECT_TRUE(words.emplace(row.name).second) << row.name;
        for (const auto alias : row.aliases)
            EXPECT_TRUE(words.emplace(alias).second) << alias;
    }
    EXPECT_TRUE(std::ranges::is_sorted(names));
}

TEST(LanguageCatalog, ThisHostHasBash)
{
    const language_catalog catalog;
    EXPECT_TRUE(catalog.find("bash")->available());
}

TEST(LanguageCatalog, AsksOnlyWhatIsInstalledForItsVersion)
{
    language_catalog catalog(&only_python);
    std::vector<std::vector<std::string>> asked;
    version_runner runner = [&asked](std::vector<std::string> argv) -> task<result<std::string>> {
        asked.push_back(std::move(argv));
        return [](std::string printed) -> task<result<std::string>> { co_return printed; }("Python 3.11.2\n");
    };
    asio::io_context context;
    testing::run_task(context, catalog.probe(runner));
    EXPECT_THAT(asked, ::testing::ElementsAre(::testing::ElementsAre("/usr/bin/python3", "--version")));
    EXPECT_EQ(catalog.find("python")->version, "3.11.2");
}

TEST(LanguageCatalog, AsksTheCompilerOfACompiledLanguage)
{
    language_catalog catalog([](std::string_view name) -> std::optional<std::string> {
        if (name == "node" || name == "/usr/share/nodejs/typescript/bin/tsc" || name == "tclsh" || name == "go")
            return name.starts_with('/') ? std::string(name) : "/usr/bin/" + std::string(name);
        return std::nullopt;
    });
    std::vector<std::vector<std::string>> asked;
    version_runner runner = [&asked](std::vector<std::string> argv) -> task<result<std::string>> {
        asked.push_back(std::move(argv));
        return [](std::string printed) -> task<result<std::string>> { co_return printed; }("v 1.2.3\n");
    };
    asio::io_context context;
    testing::run_task(context, catalog.probe(runner));
    EXPECT_THAT(asked,
        ::testing::ElementsAre(::testing::ElementsAre("/usr/bin/go", "version"), ::testing::ElementsAre("/usr/bin/node", "--version"),
            ::testing::ElementsAre("/usr/bin/node", "/usr/share/nodejs/typescript/bin/tsc", "--version")));
    EXPECT_EQ(catalog.find("tcl")->version, "");
    EXPECT_EQ(catalog.find("go")->version, "1.2.3");
}

TEST(LanguageCatalog, AFailedProbeLeavesTheVersionEmpty)
{
    language_catalog catalog(&only_python);
    version_runner runner = [](std::vector<std::string>) -> task<result<std::string>> { co_return error{errc::timed_out, "too slow"}; };
    asio::io_context context;
    testing::run_task(context, catalog.probe(runner));
    EXPECT_EQ(catalog.find("python")->version, "");
    EXPECT_TRUE(catalog.find("python")->available());
}

TEST(RunCommand, PutsTheFileBehindTheInterpretersOptions)
{
    const language_catalog catalog(&only_python);
    const std::vector<std::string> args{"-x", "y z"};
    EXPECT_THAT(
        run_command(*catalog.find("python"), "main.py", args), ::testing::ElementsAre("/usr/bin/python3", "-u", "main.py", "-x", "y z"));
}

TEST(RunCommand, AFileIsNeverTakenForAnOption)
{
    const language_catalog catalog(&only_python);
    EXPECT_EQ(run_command(*catalog.find("python"), "-c.py", {}).back(), "./-c.py");
    EXPECT_EQ(run_command(*catalog.find("javascript"), "inspect", {}).back(), "./inspect");
}

}    // namespace

}    // namespace caisson
