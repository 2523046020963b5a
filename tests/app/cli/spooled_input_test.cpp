#include "app/cli/spooled_input.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

namespace caisson::cli {

namespace {

std::string content_of(const std::filesystem::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

TEST(SpooledInput, HoldsAllThatComesThroughAPipe)
{
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const unique_fd from(ends[0]);
    const std::string bytes = std::string(300'000, 'x') + std::string("\0end", 4);
    std::thread writer([&bytes, to = ends[1]] {
        EXPECT_EQ(::write(to, bytes.data(), bytes.size()), std::ssize(bytes));
        ::close(to);
    });
    const auto taken = spooled_input::take(from.get(), "the file");
    writer.join();
    ASSERT_TRUE(taken.has_value()) << taken.error().detail;
    EXPECT_TRUE(std::filesystem::is_regular_file(taken->path()));
    EXPECT_EQ(std::filesystem::file_size(taken->path()), bytes.size());
    EXPECT_EQ(content_of(taken->path()), bytes);
}

TEST(SpooledInput, SaysWhatCannotBeRead)
{
    const unique_fd directory(::open("/", O_RDONLY | O_CLOEXEC));
    const auto taken = spooled_input::take(directory.get(), "the file on standard input");
    ASSERT_TRUE(taken.has_error());
    EXPECT_EQ(taken.error().code, errc::bad_request);
    EXPECT_NE(taken.error().detail.find("the file on standard input"), std::string::npos) << taken.error().detail;
}

}    // namespace

}    // namespace caisson::cli
