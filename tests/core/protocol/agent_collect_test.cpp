// The agent's collector on real directories: what it sends of them, decoded.

#include "core/base/unique_fd.hpp"
#include "core/protocol/collect_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

namespace caisson::protocol {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct told {
    std::vector<std::string> files;    // in their order
    std::map<std::string, std::string> contents;
    std::map<std::string, std::uint32_t> modes;
    std::map<std::string, std::string> skipped;
    std::optional<std::string> output;
    collect_totals totals;
    int exit_code = -1;
    bool whole = false;
};

class AgentCollect : public ::testing::Test {
protected:
    AgentCollect()
    {
        char name[] = "/tmp/caisson-collect-XXXXXX";
        root = ::mkdtemp(name);
    }
    ~AgentCollect() override
    {
        std::error_code ignored;
        for (const auto& each : fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, ignored))
            if (each.is_directory(ignored) && !each.is_symlink(ignored))
                fs::permissions(each.path(), fs::perms::owner_all, fs::perm_options::add, ignored);
        fs::remove_all(root, ignored);
    }

    void write(const std::string& path, const std::string& text = "x", mode_t mode = 0644) const
    {
        fs::create_directories((root / path).parent_path());
        std::ofstream(root / path) << text;
        ::chmod((root / path).c_str(), mode);
    }

    told collect(std::vector<std::string> patterns, std::vector<std::string> options = {}) const
    {
        std::vector<std::string> words{"caisson-agent", "--collect", root, "--max-files", "1000", "--max-bytes", "1000000",
            "--max-file-bytes", "1000000", "--max-depth", "32", "--max-entries", "100000"};
        words.insert(words.end(), options.begin(), options.end());
        words.emplace_back("--");
        words.insert(words.end(), patterns.begin(), patterns.end());
        return run(words);
    }

    static told run(const std::vector<std::string>& words)
    {
        int ends[2];
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        unique_fd from(ends[0]);
        unique_fd to(ends[1]);
        std::vector<char*> argv;
        for (const auto& each : words)
            argv.push_back(const_cast<char*>(each.c_str()));
        argv.push_back(nullptr);
        const unique_fd agent(::open(CAISSON_AGENT_PATH, O_RDONLY | O_CLOEXEC));    // now: others may not reach it
        const auto pid = ::fork();
        if (pid == 0) {
            ::dup2(to.get(), 1);
            if (::getuid() == 0 && (::setgid(65'534) != 0 || ::setuid(65'534) != 0))    // root may read all
                ::_exit(126);
            ::fexecve(agent.get(), argv.data(), environ);
            ::_exit(127);
        }
        to.reset();
        auto out = decode(from.get());
        int status = 0;
        ::waitpid(pid, &status, 0);
        out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return out;
    }

    static told decode(int from)
    {
        told out;
        collect_decoder decoder;
        std::string buffer(100'000, '\0');
        for (auto got = ::read(from, buffer.data(), buffer.size()); got > 0; got = ::read(from, buffer.data(), buffer.size())) {
            decoder.add(shared_bytes(buffer.substr(0, static_cast<std::size_t>(got))));
            for (auto next = decoder.next(); next != collect_decoder::item::need_more; next = decoder.next())
                if (!take(next, decoder, out))
                    return out;
        }
        return out;
    }

    static bool take(collect_decoder::item next, const collect_decoder& decoder, told& out)
    {
        using item = collect_decoder::item;
        const auto& file = decoder.file();
        switch (next) {
        case item::file:
            if (file.is_output)
                out.output = "";
            else
                out.files.push_back(file.path);
            out.modes[file.path] = file.mode;
            break;
        case item::data: (file.is_output ? *out.output : out.contents[file.path]) += decoder.data().view(); break;
        case item::skipped: out.skipped[decoder.path()] = decoder.reason(); break;
        case item::cut: out.skipped[file.path] = decoder.reason(); break;
        case item::done:
            out.totals = decoder.totals();
            out.whole = true;
            break;
        case item::broken: ADD_FAILURE() << "the stream is broken"; return false;
        default: break;
        }
        return true;
    }

    /// For the account that collects.
    void own(const std::string& path) const
    {
        if (::getuid() == 0)
            ASSERT_EQ(::lchown((root / path).c_str(), 65'534, 65'534), 0);
    }
    void open_root() const { ::chmod(root.c_str(), 0755); }

    fs::path root;
};

TEST_F(AgentCollect, SendsWhatPatternsMeanInTheOrderOfPaths)
{
    open_root();
    for (const auto* path : {"out/b", "out/a/z", "out/a.txt", "out/a-b", "other/x", "out/a/b/c.txt"})
        write(path, path);
    const auto got = collect({"out/**"});
    EXPECT_THAT(got.files, ElementsAre("out/a-b", "out/a.txt", "out/a/b/c.txt", "out/a/z", "out/b"));
    EXPECT_EQ(got.contents.at("out/a/b/c.txt"), "out/a/b/c.txt");
    EXPECT_THAT(got.skipped, IsEmpty());
    EXPECT_TRUE(got.whole);
    EXPECT_EQ(got.exit_code, 0);
}

TEST_F(AgentCollect, FollowsNoLink)
{
    open_root();
    write("real/file", "mine");
    fs::create_symlink("/etc/passwd", root / "out.txt");
    fs::create_symlink("/etc", root / "out");
    fs::create_symlink("real", root / "inner");
    const auto got = collect({"out.txt", "out/**", "inner/**"});
    EXPECT_THAT(got.files, IsEmpty());
    for (const auto* path : {"out.txt", "out", "inner"})
        EXPECT_THAT(got.skipped.at(path), HasSubstr("a symbolic link")) << path;
}

TEST_F(AgentCollect, HardLinksAreFiles)
{
    open_root();
    write("a", "both");
    fs::create_hard_link(root / "a", root / "b");
    EXPECT_EQ(collect({"*"}).contents, (std::map<std::string, std::string>{{"a", "both"}, {"b", "both"}}));
}

TEST_F(AgentCollect, SaysWhatItLeavesOut)
{
    open_root();
    write("good", "yes");
    ASSERT_EQ(::mkfifo((root / "fifo").c_str(), 0666), 0);
    fs::create_directory(root / "folder");
    const unique_fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (root / "socket").string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    ASSERT_EQ(::bind(socket.get(), static_cast<sockaddr*>(static_cast<void*>(&address)), sizeof(address)), 0);
    const auto got = collect({"good", "fifo", "folder", "socket"});
    EXPECT_THAT(got.files, ElementsAre("good"));
    EXPECT_EQ(got.skipped.at("fifo"), "a FIFO");
    EXPECT_EQ(got.skipped.at("socket"), "a socket");
    EXPECT_THAT(got.skipped.at("folder"), HasSubstr("a directory"));
    EXPECT_EQ(got.totals.skipped, 3u);
}

TEST_F(AgentCollect, DevicesAreLeftOut)
{
    open_root();
    if (::mknod((root / "zero").c_str(), S_IFCHR | 0666, makedev(1, 5)) != 0)
        return;    // an ordinary user cannot make one either
    EXPECT_EQ(collect({"*"}).skipped.at("zero"), "a device");
}

TEST_F(AgentCollect, FilesThatTheirOwnerMayNotReadAreReadAllTheSame)
{
    open_root();
    write("closed/secret", "text", 0);
    own("closed");
    own("closed/secret");
    ::chmod((root / "closed").c_str(), 0);
    const auto got = collect({"**"});
    EXPECT_EQ(got.contents.at("closed/secret"), "text");
    EXPECT_EQ(got.modes.at("closed/secret"), 0u);
}

TEST_F(AgentCollect, ForeignFilesThatCannotBeReadAreNamed)
{
    open_root();
    if (::getuid() != 0)
        return;    // there is nobody else whose they could be
    write("theirs", "text", 0600);
    EXPECT_THAT(collect({"**"}).skipped.at("theirs"), HasSubstr("Permission denied"));
}

TEST_F(AgentCollect, SpecialBitsAreNotTold)
{
    open_root();
    write("tool", "#!", 06755);
    EXPECT_EQ(collect({"tool"}).modes.at("tool"), 0755u);
}

TEST_F(AgentCollect, NamesThatCannotBeShownAreSkipped)
{
    open_root();
    write("bad\xff", "1");
    write("line\nbreak", "2");
    write("\xc3\xa4", "3");
    const auto got = collect({"**"});
    EXPECT_THAT(got.files, ElementsAre("\xc3\xa4"));
    EXPECT_THAT(got.skipped.at("bad\\xff"), HasSubstr("not UTF-8"));
    EXPECT_THAT(got.skipped.at("line\\x0abreak"), HasSubstr("not UTF-8"));
}

TEST_F(AgentCollect, SparseFilesCountAsLargeAsTheySeem)
{
    open_root();
    write("small", "1");
    write("sparse");
    ASSERT_EQ(::truncate((root / "sparse").c_str(), 1'000'001), 0);
    const auto got = collect({"**"});
    EXPECT_THAT(got.files, ElementsAre("small"));
    EXPECT_THAT(got.skipped.at("sparse"), HasSubstr("larger than 1000000 bytes"));
}

TEST_F(AgentCollect, StopsAtItsLimits)
{
    open_root();
    for (const auto* path : {"a", "b", "c", "deep/er/d"})
        write(path, std::string(10, 'x'));
    EXPECT_THAT(collect({"**"}, {"--max-files", "2"}).files, ElementsAre("a", "b"));
    EXPECT_EQ(collect({"**"}, {"--max-files", "2"}).totals.skipped, 2u);
    EXPECT_THAT(collect({"**"}, {"--max-bytes", "25"}).files, ElementsAre("a", "b"));
    EXPECT_THAT(collect({"**"}, {"--max-depth", "1"}).files, ElementsAre("a", "b", "c"));
    EXPECT_THAT(collect({"**"}, {"--max-depth", "1"}).skipped.at("deep/er"), HasSubstr("beyond the depth"));
    EXPECT_THAT(collect({"**"}, {"--max-file-bytes", "9"}).files, IsEmpty());
}

TEST_F(AgentCollect, ManyFilesEndInBoundedWork)
{
    open_root();
    for (int i = 0; i < 3'000; ++i)
        std::ofstream(root / std::to_string(100'000 + i));
    const auto got = collect({"*"}, {"--max-files", "10"});
    EXPECT_EQ(got.files.front(), "100000");
    EXPECT_EQ(got.files.size(), 10u);
    EXPECT_EQ(got.totals.skipped, 2'990u);
    EXPECT_EQ(got.skipped.size(), max_collect_skipped);
    const auto bounded = collect({"*"}, {"--max-entries", "100"});
    EXPECT_EQ(bounded.files.size(), 100u);
    EXPECT_THAT(bounded.totals.problem, HasSubstr("more than 100 directory entries"));
}

TEST_F(AgentCollect, TheOutputComesFirstAndIsNoArtifact)
{
    open_root();
    write("out/a", "1");
    write("out/output.json", "{}");
    const std::vector<std::string> output{"--output", "out/output.json", "--max-output-bytes", "2"};
    const auto got = collect({"out/**"}, output);
    EXPECT_EQ(got.output, "{}");
    EXPECT_THAT(got.files, ElementsAre("out/a"));
    write("out/output.json", "{ }");
    const auto large = collect({"out/**"}, output);
    EXPECT_FALSE(large.output);
    EXPECT_THAT(large.skipped.at("out/output.json"), HasSubstr("larger than 2 bytes"));
    fs::remove(root / "out/output.json");
    EXPECT_FALSE(collect({"out/**"}, output).output);
    EXPECT_THAT(collect({"out/**"}, output).skipped, IsEmpty());
    fs::create_symlink("/etc/passwd", root / "out/output.json");
    EXPECT_THAT(collect({"out/**"}, output).skipped.at("out/output.json"), HasSubstr("a symbolic link"));
}

TEST_F(AgentCollect, ADirectoryThatIsNotThereIsTold)
{
    fs::remove(root);
    const auto got = collect({"**"});
    EXPECT_TRUE(got.whole);
    EXPECT_THAT(got.totals.problem, HasSubstr("No such file"));
    fs::create_directory(root);
}

TEST_F(AgentCollect, AnOrderThatIsNotUnderstoodIsRefused)
{
    EXPECT_EQ(run({"caisson-agent", "--collect", "relative", "--", "*"}).exit_code, 2);
    EXPECT_EQ(run({"caisson-agent", "--collect", "/tmp", "--max-files", "many", "--", "*"}).exit_code, 2);
    EXPECT_EQ(run({"caisson-agent", "--collect", "/tmp", "--max-files"}).exit_code, 2);
    EXPECT_EQ(run({"caisson-agent", "--collect", "/tmp", "--else", "1", "--", "*"}).exit_code, 2);
}

}    // namespace
}    // namespace caisson::protocol
