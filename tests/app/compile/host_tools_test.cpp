// When this host's compilers count as others.

#include "app/compile/host_tools.hpp"

#include "adapters/crypto/sha256_hasher.hpp"
#include "tests/storage/temp_dir.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace caisson::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class HostTools : public ::testing::Test {
protected:
    HostTools()
    {
        for (const std::string each : {"usr/lib/gcc", "usr/include/sys", "usr/share/doc/x", "etc/nim", "db"})
            fs::create_directories(dir_ / each);
        write_file(dir_ / "usr/include/stdio.h", "old");
        write_file(dir_ / "usr/cc", "compiler");
        write_file(dir_ / "etc/nim/nim.cfg", "old");
        write_file(dir_ / "db/status", "old");
        for (const char* each :
            {"usr/include/sys", "usr/include", "usr/share/doc/x"})    // a kernel's time of files may stand still for some milliseconds
            fs::last_write_time(dir_ / each, fs::file_time_type::clock::now() - 1h);
        places_.trees = {(dir_ / "usr").string(), (dir_ / "missing").string()};
        places_.small_trees = {(dir_ / "etc/nim").string()};
        places_.files = {(dir_ / "db/status").string()};
        places_.skipped = {(dir_ / "usr/share/doc").string()};
    }
    std::string state(std::chrono::milliseconds at = 0ms, const std::string& program = "usr/cc")
    {
        return tools().state((dir_ / program).string(), steady_time(at));
    }
    host_tools& tools()
    {
        if (!tools_)
            tools_.emplace(&make_sha256_hasher, places_);
        return *tools_;
    }

    temp_dir dir_;
    tool_places places_;
    std::optional<host_tools> tools_;
};

TEST_F(HostTools, AreTheSameAsLongAsNothingChanges)
{
    const auto before = state();
    EXPECT_EQ(before.size(), 64u);
    EXPECT_EQ(state(), before);
    EXPECT_EQ(state(1h), before);
    tools_.reset();
    EXPECT_EQ(state(), before) << "over restarts too";
}

struct tool_change {
    std::string_view name;
    void (*change)(const temp_dir&);
    bool at_once = false;
    bool counts = true;
};
void PrintTo(const tool_change& c, std::ostream* out) { *out << c.name; }
class HostToolsChange : public HostTools, public ::testing::WithParamInterface<tool_change> { };

TEST_P(HostToolsChange, MakesThemOthers)
{
    const auto before = state();
    GetParam().change(dir_);
    EXPECT_EQ(state() != before, GetParam().at_once);
    EXPECT_EQ(state(31s) != before, GetParam().counts);
}

INSTANTIATE_TEST_SUITE_P(Cases, HostToolsChange,
    ::testing::Values(tool_change{"compiler", [](const temp_dir& in) { write_file(in / "usr/cc", "a longer compiler"); }, true},
        tool_change{"package_database", [](const temp_dir& in) { write_file(in / "db/status", "newer"); }, true},
        tool_change{"package_database_gone", [](const temp_dir& in) { fs::remove(in / "db/status"); }, true},
        tool_change{"header_replaced",
            [](const temp_dir& in) {
                write_file(in / "usr/include/stdio.h.new", "new");
                fs::rename(in / "usr/include/stdio.h.new", in / "usr/include/stdio.h");
            }},
        tool_change{"header_added", [](const temp_dir& in) { write_file(in / "usr/include/sys/more.h", "x"); }},
        tool_change{"library_removed", [](const temp_dir& in) { fs::remove(in / "usr/lib/gcc"); }},
        tool_change{"setting", [](const temp_dir& in) { write_file(in / "etc/nim/nim.cfg", "newer"); }},
        tool_change{"tree_appears", [](const temp_dir& in) { fs::create_directory(in / "missing"); }},
        tool_change{"documentation", [](const temp_dir& in) { write_file(in / "usr/share/doc/x/readme", "x"); }, false, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(HostTools, OfAnotherCompilerAreOthers)
{
    write_file(dir_ / "usr/c++", "compiler");
    EXPECT_NE(state(0ms, "usr/c++"), state(0ms));
}

TEST_F(HostTools, OfThisHostAreFound)
{
    host_tools real(&make_sha256_hasher);
    EXPECT_EQ(real.state("/usr/bin/env", steady_time()), real.state("/usr/bin/env", steady_time()));
}

}    // namespace
}    // namespace caisson::testing
