#include "app/cli/languages.hpp"
#include "app/cli/run_request.hpp"

#include <boost/json/serialize.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace caisson::cli {
namespace {

std::string body_of(const run_options& options, run_inputs inputs = {})
{
    return boost::json::serialize(run_request(options, std::move(inputs)));
}

TEST(RunRequest, Command)
{
    run_options options;
    options.command = {"ls", "-l"};
    EXPECT_EQ(body_of(options), R"({"command":["ls","-l"],"wait":false})");
}

TEST(RunRequest, Shell)
{
    run_options options;
    options.shell = "ls | wc";
    EXPECT_EQ(body_of(options), R"({"shell":"ls | wc","wait":false})");
}

TEST(RunRequest, FileWithItsName)
{
    run_options options;
    options.language = "python";
    options.file = "dir/hello.py";
    options.args = {"a"};
    EXPECT_EQ(body_of(options, {.program = "print(1)\n"}),
        R"({"language":"python","code":"print(1)\n","entry":"hello.py","args":["a"],"wait":false})");
}

TEST(RunRequest, OddFileNamesAreNotSent)
{
    run_options options;
    options.language = "python";
    for (const auto* name : {"a b.py", ".x.py", "-x.py", "é.py"}) {
        options.file = name;
        EXPECT_EQ(body_of(options, {.program = "1"}), R"({"language":"python","code":"1","wait":false})") << name;
    }
}

TEST(RunRequest, Everything)
{
    run_options options;
    options.language = "bash";
    options.code = "true";
    options.env = {{"A", "1"}};
    options.labels = {{"job", "x"}};
    options.wall_ms = 5'000;
    options.memory_bytes = 1 << 20;
    options.cpus = 0.5;
    options.network = "none";
    options.runtime = "bubblewrap";
    options.cwd = "sub";
    options.forward_stdin = true;
    EXPECT_EQ(body_of(options, {.files = {{"t.txt", "é"}, {"b.bin", "\xFF"}}}),
        R"({"language":"bash","code":"true","files":{"t.txt":"é","b.bin":{"base64":"/w=="}},"env":{"A":"1"},"labels":{"job":"x"},"cwd":"sub",)"
        R"("runtime":"bubblewrap","network":{"mode":"none"},"limits":{"wall_ms":5000,"memory_bytes":1048576,"cpus":5E-1},"stdin_open":true,"wait":false})");
}

TEST(RunRequest, SaysWhatTheCompilerIsTold)
{
    run_options options;
    options.language = "c";
    options.code = "1";
    options.standard = "c11";
    options.compiler_flags = {"-O3", "-lm"};
    EXPECT_EQ(body_of(options), R"({"language":"c","code":"1","compiler":{"std":"c11","flags":["-O3","-lm"]},"wait":false})");
}

TEST(RunRequest, AnExecutableFileStaysOne)
{
    run_options options;
    options.shell = "./t";
    options.stack_bytes = 1 << 20;
    EXPECT_EQ(body_of(options, {.files = {{"t", "x", true}, {"b", "\xFF", true}}}),
        R"({"shell":"./t","files":{"t":{"text":"x","mode":"0755"},"b":{"base64":"/w==","mode":"0755"}},"limits":{"stack_bytes":1048576},"wait":false})");
}

TEST(RunRequest, ATerminalHasTheWindowOfOurs)
{
    run_options options;
    options.command = {"top"};
    options.pty = true;
    EXPECT_EQ(body_of(options, {.window = window_size{100, 40}}),
        R"({"command":["top"],"pty":{"cols":100,"rows":40},"stdin_open":true,"wait":false})");
    EXPECT_EQ(body_of(options), R"({"command":["top"],"pty":{"cols":80,"rows":24},"stdin_open":true,"wait":false})");
}

class ReadInputs : public ::testing::Test {
protected:
    ReadInputs()
    {
        std::string name = ::testing::TempDir() + "caisson-inputs-XXXXXX";
        directory_ = ::mkdtemp(name.data());
        std::ofstream(directory_ / "p.py") << "print(1)";
        std::ofstream(directory_ / "data") << std::string("\xFF\0x", 3);
        options_.language = "python";
    }
    ~ReadInputs() override { std::filesystem::remove_all(directory_); }

    std::filesystem::path directory_;
    run_options options_;
};

TEST_F(ReadInputs, ProgramAndFiles)
{
    options_.file = directory_ / "p.py";
    options_.files = {{directory_ / "data", "in/data"}};
    const auto inputs = read_inputs(options_).value();
    EXPECT_EQ(inputs.program, "print(1)");
    ASSERT_EQ(inputs.files.size(), 1u);
    EXPECT_EQ(inputs.files[0].name, "in/data");
    EXPECT_EQ(inputs.files[0].content.size(), 3u);
}

TEST_F(ReadInputs, NamesTheFileThatCannotBeRead)
{
    options_.file = directory_ / "nothing.py";
    EXPECT_NE(read_inputs(options_).error().detail.find("nothing.py"), std::string::npos);
    options_.file = directory_;
    EXPECT_TRUE(read_inputs(options_).has_error()) << "a directory";
    options_.file = directory_ / "p.py";
    options_.files = {{directory_ / "gone", "gone"}};
    EXPECT_NE(read_inputs(options_).error().detail.find("gone"), std::string::npos);
}

TEST_F(ReadInputs, AProgramThatIsNotText)
{
    options_.file = directory_ / "data";
    EXPECT_TRUE(read_inputs(options_).has_error());
}

TEST(ReadWhole, IsBounded)
{
    EXPECT_EQ(read_whole("/dev/null", 0).value(), "");
    const auto more = read_whole("/dev/zero", 2 << 20).error();
    EXPECT_EQ(more.code, errc::too_large);
    EXPECT_EQ(more.detail, "/dev/zero is larger than 2 MiB, the most that is sent");
}

TEST(ReadWhole, SaysWhyItCannotBeRead)
{
    EXPECT_EQ(read_whole("/nothing/here", 9).error().detail, "/nothing/here cannot be read: No such file or directory");
    EXPECT_EQ(read_whole("/etc", 9).error().detail, "/etc cannot be read: Is a directory");
}

TEST(Languages, ByExtension)
{
    EXPECT_EQ(language_of_file("a/b.py"), "python");
    EXPECT_EQ(language_of_file("b.mjs"), "javascript");
    EXPECT_EQ(language_of_file("b.sh"), "bash");
    EXPECT_EQ(language_of_file("a b/ö.cc"), "cpp");
    EXPECT_EQ(language_of_file("Main.java"), "java");
    EXPECT_EQ(language_of_file("plot.R"), "r");
    EXPECT_EQ(language_of_file("b.txt"), "");
    EXPECT_EQ(language_of_file("py"), "");
}

}    // namespace
}    // namespace caisson::cli
