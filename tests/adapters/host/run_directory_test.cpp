#include "adapters/host/run_directory.hpp"

#include "tests/adapters/host/scratch_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson {

namespace {

class RunDirectory : public ::testing::Test {
protected:
    caisson::testing::scratch_directory scratch;
    std::string data = scratch.path();
    sandbox_id id = *sandbox_id::parse("sbx_01jd2c00000000000000000000");
};

TEST_F(RunDirectory, IsThisUsersAlone)
{
    const auto made = run_directory::make(data, id);
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    struct stat seen{};
    ASSERT_EQ(::stat(made->path().c_str(), &seen), 0);
    EXPECT_EQ(seen.st_mode & 0777, 0700U);
    EXPECT_EQ(run_directory::list(data), std::vector{id});
    EXPECT_TRUE(run_directory::remove(made->path()).has_value());
    EXPECT_TRUE(run_directory::list(data).empty());
    EXPECT_FALSE(run_directory::open(data, id));
}

TEST_F(RunDirectory, ThatCannotBeOpenedIsNotLeft)
{
    const auto directory = data;    // the sanitizers look at objects of classes by descriptors
    const auto sandbox = id;
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{3, before.rlim_max};    // which are in use: standard input, output and error
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto made = run_directory::make(directory, sandbox);
    ::setrlimit(RLIMIT_NOFILE, &before);
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
    EXPECT_TRUE(run_directory::list(data).empty());
}

TEST_F(RunDirectory, IsEmptiedWhenItWasLeftOver)
{
    {
        (void)run_directory::make(data, id)->write_state("old");
    }
    const auto made = run_directory::make(data, id);
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->read_state(), std::nullopt);
}

TEST_F(RunDirectory, ConnectsOverAPathThatNoAddressHolds)
{
    const auto deep = data + "/" + std::string(200, 'd');
    ASSERT_EQ(::mkdir(deep.c_str(), 0700), 0);
    const auto made = run_directory::make(deep, id);
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    auto listener = made->listen();
    ASSERT_TRUE(listener.has_value()) << listener.error().detail;
    const auto client = made->connect();
    ASSERT_TRUE(client.has_value()) << client.error().detail;
    const unique_fd server(::accept(listener->get(), nullptr, nullptr));
    ASSERT_EQ(::write(client->get(), "x", 1), 1);
    char got = 0;
    EXPECT_EQ(::read(server.get(), &got, 1), 1);
    listener->reset();
    const auto refused = made->connect();
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().code, errc::runtime_unavailable);
}

TEST_F(RunDirectory, KeepsTheLastState)
{
    const auto made = run_directory::make(data, id);
    ASSERT_TRUE(made.has_value());
    EXPECT_TRUE(made->write_state("one").has_value());
    EXPECT_TRUE(made->write_state("two").has_value());
    EXPECT_EQ(run_directory::open(data, id)->read_state(), "two");
}

TEST_F(RunDirectory, TellsTheFirstLineOfItsLogAsText)
{
    const auto made = run_directory::make(data, id);
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(made->first_log_line(), "");
    const auto log = made->open_log();
    ASSERT_EQ(::write(log.get(), "bad \xff byte\nsecond\n", 18), 18);
    EXPECT_EQ(made->first_log_line(), "bad \xef\xbf\xbd byte");
}

TEST_F(RunDirectory, ListsSandboxesOnly)
{
    ASSERT_TRUE(run_directory::make(data, id).has_value());
    ASSERT_EQ(::mkdir((data + "/other").c_str(), 0700), 0);
    EXPECT_EQ(run_directory::list(data), std::vector{id});
}

/// Of all that is in it a container sees these, as whatever user.
TEST_F(RunDirectory, WhatIsForContainersCanBeReadByAll)
{
    const auto made = run_directory::make(data, id);
    ASSERT_TRUE(made.has_value());
    ASSERT_TRUE(made->listen_in_link().has_value());
    const auto again = made->listen_in_link();
    EXPECT_TRUE(again.has_value()) << again.error().detail;
    ASSERT_TRUE(made->write_file("passwd", "text").has_value());
    for (const auto& [path, mode] : {std::pair{"", 0700U}, {"/link", 0755U}, {"/link/s", 0666U}, {"/passwd", 0644U}}) {
        struct stat seen{};
        ASSERT_EQ(::stat((made->path() + path).c_str(), &seen), 0) << path;
        EXPECT_EQ(seen.st_mode & 07777, mode) << path;
    }
}

TEST_F(RunDirectory, CannotBeMadeWhereThereIsNoDataDirectory)
{
    const auto made = run_directory::make(data + "/nothing/run", id);
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::runtime_unavailable);
}

}    // namespace

}    // namespace caisson
