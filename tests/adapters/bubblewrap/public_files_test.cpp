#include "adapters/bubblewrap/public_files.hpp"

#include "adapters/crypto/digest.hpp"
#include "tests/adapters/host/scratch_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* services_text = "http 80/tcp\n";
constexpr const char* md5_of_services = "2c252a1a72e3a95864b5662bebb55e23";

/// A directory that stands for the host's root, and one for the copies.
class PublicFiles : public ::testing::Test {
protected:
    PublicFiles()
    {
        fs::permissions(scratch_.path(), fs::perms(0755));
        fs::create_directories(host() + "/etc/ssl/certs");
        fs::create_directories(host() + "/var/lib/dpkg");
        fs::create_directories(host() + "/var/lib/texmf");
        write("/etc/services", services_text);
        write("/etc/protocols", "changed by the administrator\n");
        write("/etc/ld.so.cache", "cache");
        write("/var/lib/texmf/ls-R", "names");
        ship();
    }

    std::string host() const { return scratch_.path() + "/host"; }
    std::string copies() const { return scratch_.path() + "/copies"; }
    public_source source() const { return {.root = host(), .owner = ::geteuid(), .digests = {&md5_hex, &sha256_hex}}; }
    public_files keeper(bool has_users = false) const
    {
        return {copies(), source(), {{"passwd", "own\n"}, {"shadow", "own too\n"}}, has_users};
    }

    void write(const std::string& path, const std::string& text, mode_t mode = 0644) const
    {
        fs::create_directories(fs::path(host() + path).parent_path());
        std::ofstream(host() + path) << text;
        ASSERT_EQ(::chmod((host() + path).c_str(), mode), 0);
    }
    /// Has the package list say that /etc/services and /etc/protocols were shipped with the text of services.
    void ship() const
    {
        write("/var/lib/dpkg/status", std::string("Package: netbase\nConffiles:\n /etc/services ") + md5_of_services +
                                          "\n /etc/protocols " + md5_of_services + "\n /etc/private " + md5_of_services +
                                          "\n /etc/second " + md5_of_services + "\n");
    }
    static std::string read(const fs::path& path)
    {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    static std::vector<std::string> below(const fs::path& folder)
    {
        std::vector<std::string> found;
        for (const auto& each : fs::recursive_directory_iterator(folder))
            if (!each.is_directory() || each.is_symlink())
                found.push_back(each.path().lexically_relative(folder).string());
        return found;
    }

private:
    testing::scratch_directory scratch_;
};

using ::testing::UnorderedElementsAre;

TEST_F(PublicFiles, AreWhatPackagesShippedAndWhatIsGeneratedOfIt)
{
    auto files = keeper();
    const auto place = files.current(steady_time(1h));
    ASSERT_FALSE(place.has_error()) << place.error().detail;
    EXPECT_THAT(below(*place), UnorderedElementsAre("etc/passwd", "etc/shadow", "etc/services", "etc/ld.so.cache", "var/lib/texmf/ls-R"));
    EXPECT_EQ(read(*place + "/etc/services"), services_text);
    EXPECT_EQ(read(*place + "/etc/passwd"), "own\n");
    EXPECT_EQ(fs::status(*place + "/etc/services").permissions(), fs::perms(0444));
    EXPECT_EQ(fs::status(*place + "/etc").permissions(), fs::perms(0755));
}

TEST_F(PublicFiles, HoldNoSecretWhereverItIsPlanted)
{
    write("/etc/private", services_text, 0640);
    write("/etc/second", services_text);
    fs::create_hard_link(host() + "/etc/second", host() + "/etc/myname");
    write("/etc/ssl/certs/key.pem", "secret");
    write("/etc/myapp/token", "secret");
    write("/etc/ssl/private/key", "secret");
    write("/var/lib/texmf/secret", "secret", 0600);
    write("/etc/hidden/services", "secret");
    fs::permissions(host() + "/etc/hidden", fs::perms(0750));
    write("/etc/texmf/web2c/texmf.cnf", "generated");
    write("/etc/texmf/web2c/token", "secret");
    fs::create_symlink("../myapp/token", host() + "/etc/texmf/link");
    fs::create_symlink("../../private", host() + "/var/lib/texmf/link");
    fs::create_symlink("/root", host() + "/etc/texmf/root");
    auto files = keeper();
    const auto place = files.current(steady_time(1h));
    ASSERT_FALSE(place.has_error()) << place.error().detail;
    EXPECT_THAT(below(*place), UnorderedElementsAre("etc/passwd", "etc/shadow", "etc/services", "etc/ld.so.cache",
                                   "etc/texmf/web2c/texmf.cnf", "var/lib/texmf/ls-R"));
}

TEST_F(PublicFiles, HaveTheLinksThatLeadToSomethingShown)
{
    fs::create_directories(host() + "/etc/alternatives");
    fs::create_symlink("/usr/bin/env", host() + "/etc/alternatives/env");
    fs::create_symlink("services", host() + "/etc/names");
    fs::create_symlink("nowhere", host() + "/etc/dangling");
    fs::create_symlink("/usr/bin/env", host() + "/etc/hostname");
    auto files = keeper();
    const auto place = files.current(steady_time(1h));
    ASSERT_FALSE(place.has_error()) << place.error().detail;
    EXPECT_EQ(fs::read_symlink(*place + "/etc/alternatives/env"), "/usr/bin/env");
    EXPECT_EQ(fs::read_symlink(*place + "/etc/names"), "services");
    EXPECT_FALSE(fs::exists(fs::symlink_status(*place + "/etc/dangling")));
    EXPECT_FALSE(fs::exists(fs::symlink_status(*place + "/etc/hostname")));
}

TEST_F(PublicFiles, AreCopiedAnewWhenPackagesChangeAndTheOldCopyStays)
{
    auto files = keeper();
    const auto first = files.current(steady_time(1h));
    ASSERT_FALSE(first.has_error());
    write("/etc/protocols", services_text);
    write("/var/lib/dpkg/status.new", read(host() + "/var/lib/dpkg/status") + "\n");
    fs::rename(host() + "/var/lib/dpkg/status.new", host() + "/var/lib/dpkg/status");
    EXPECT_EQ(*files.current(steady_time(1h + 999ms)), *first);
    const auto second = files.current(steady_time(1h + 1s));
    ASSERT_FALSE(second.has_error());
    EXPECT_NE(*second, *first);
    EXPECT_TRUE(fs::exists(*second + "/etc/protocols"));
    EXPECT_TRUE(fs::exists(*first + "/etc/services"));
}

TEST_F(PublicFiles, OfEarlierServersGoIfNobodyUsesThem)
{
    fs::create_directories(copies() + "/old/etc");
    fs::create_directories(copies() + "/new/etc");
    ASSERT_FALSE(keeper(true).current(steady_time(1h)).has_error());
    EXPECT_TRUE(fs::exists(copies() + "/old"));
    EXPECT_FALSE(fs::exists(copies() + "/new")) << "what was left half done";
    ASSERT_FALSE(keeper(false).current(steady_time(1h)).has_error());
    EXPECT_FALSE(fs::exists(copies() + "/old"));
}

TEST_F(PublicFiles, OfAnEarlierServerAreNotTrustedToBeWhole)
{
    const auto first = keeper(true).current(steady_time(1h));
    ASSERT_FALSE(first.has_error());
    fs::remove_all(*first + "/etc");
    fs::create_directories(*first + "/left");
    const auto second = keeper(true).current(steady_time(1h));
    ASSERT_FALSE(second.has_error());
    EXPECT_NE(*second, *first);
    EXPECT_EQ(read(*second + "/etc/services"), services_text);
    EXPECT_TRUE(fs::exists(*first + "/left"));
}

TEST_F(PublicFiles, ThatWereRemovedAreCopiedAnew)
{
    auto files = keeper();
    const auto place = files.current(steady_time(1h));
    ASSERT_FALSE(place.has_error());
    fs::remove_all(*place + "/etc");
    fs::create_directories(*place + "/left");
    const auto again = files.current(steady_time(1h));
    ASSERT_FALSE(again.has_error());
    EXPECT_EQ(read(*again + "/etc/services"), services_text);
}

TEST_F(PublicFiles, ThatCannotBeCopiedAreAnErrorWithTheReason)
{
    std::ofstream(copies()) << "a file in the way";
    const auto place = keeper().current(steady_time(1h));
    ASSERT_TRUE(place.has_error());
    EXPECT_EQ(place.error().code, errc::runtime_unavailable);
    EXPECT_THAT(place.error().detail, ::testing::HasSubstr("Not a directory"));
}

}    // namespace

}    // namespace caisson
