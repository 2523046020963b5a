#include "core/base/unique_fd.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <cerrno>

namespace caisson {
namespace {

int open_one() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, ClosesInItsDestructor)
{
    const int fd = open_one();
    {
        const unique_fd owner(fd);
        EXPECT_TRUE(owner);
        EXPECT_EQ(owner.get(), fd);
    }
    EXPECT_FALSE(is_open(fd));
}

TEST(UniqueFd, AMoveHandsItOver)
{
    unique_fd first(open_one());
    const int fd = first.get();
    unique_fd second(std::move(first));
    EXPECT_FALSE(first);    // what is left of it is the case
    EXPECT_EQ(second.get(), fd);
    unique_fd third(open_one());
    const int replaced = third.get();
    third = std::move(second);
    EXPECT_EQ(third.get(), fd);
    EXPECT_FALSE(is_open(replaced));
    EXPECT_TRUE(is_open(fd));
}

TEST(UniqueFd, AMoveToItselfKeepsIt)
{
    unique_fd owner(open_one());
    auto& same = owner;
    owner = std::move(same);
    EXPECT_TRUE(owner);
    EXPECT_TRUE(is_open(owner.get()));
}

TEST(UniqueFd, ReleaseDoesNotClose)
{
    unique_fd owner(open_one());
    const unique_fd other(owner.release());
    EXPECT_FALSE(owner);
    EXPECT_TRUE(is_open(other.get()));
}

TEST(UniqueFd, ResetClosesWhatWasThere)
{
    unique_fd owner(open_one());
    const int first = owner.get();
    owner.reset();
    EXPECT_FALSE(owner);
    EXPECT_FALSE(is_open(first));
    owner.reset();    // none: nothing to close
}

}    // namespace
}    // namespace caisson
