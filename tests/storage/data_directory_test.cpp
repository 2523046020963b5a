#include "storage/data_directory.hpp"

#include "storage/sqlite/errors.hpp"
#include "storage/storage.hpp"
#include "tests/storage/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace caisson::testing {

namespace {

using ::testing::HasSubstr;

TEST(DataDirectory, IsMadeForItsUserAlone)
{
    const temp_dir place;
    const auto dir = place / "a/b/data";
    make_data_directory(dir);
    struct stat facts{};
    ASSERT_EQ(::stat(dir.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, 0700u);
    make_data_directory(dir);
}

TEST(DataDirectory, ThatOthersMayReadIsTaken)
{
    const temp_dir place;
    const auto dir = place / "data";
    ASSERT_EQ(::mkdir(dir.c_str(), 0755), 0);
    make_data_directory(dir);
    EXPECT_EQ(why_others_may_write(place / "none"), std::nullopt);
}

class SharedDirectory : public ::testing::TestWithParam<mode_t> { };

TEST_P(SharedDirectory, IsRefusedWithTheRemedy)
{
    const temp_dir place;
    const auto dir = place / "data";
    ASSERT_EQ(::mkdir(dir.c_str(), 0700), 0);
    ASSERT_EQ(::chmod(dir.c_str(), GetParam()), 0);
    try {
        storage::open(dir);
        FAIL() << "it was taken";
    } catch (const storage_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("can be written by other users"));
        EXPECT_THAT(e.what(), HasSubstr("chmod go-w " + dir.string()));
    }
    EXPECT_TRUE(std::filesystem::is_empty(dir));
    ASSERT_EQ(::chmod(dir.c_str(), 0700), 0);
    storage::open(dir);
}

INSTANTIATE_TEST_SUITE_P(Modes, SharedDirectory, ::testing::Values(0777, 0775, 0770, 0702, 01777, 02775));

TEST(DataDirectory, OfAnotherUserIsRefused)
{
    const temp_dir place;
    const auto dir = place / "data";
    ASSERT_EQ(::mkdir(dir.c_str(), 0700), 0);
    if (::chown(dir.c_str(), 12'345, 12'345) != 0)
        return;    // an ordinary user makes none of another's
    EXPECT_THAT(why_others_may_write(dir).value_or(""), HasSubstr("belongs to another user (12345)"));
    EXPECT_THROW(storage::open(dir), storage_error);
}

}    // namespace

}    // namespace caisson::testing
