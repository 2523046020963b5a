#include "core/base/secret.hpp"

#include <boost/json/value_from.hpp>
#include <gtest/gtest.h>

#include <ostream>
#include <type_traits>

namespace caisson {
namespace {

template <class T>
concept streamable = requires(std::ostream& out, const T& value) { out << value; };

static_assert(!streamable<secret>);
static_assert(!std::is_convertible_v<secret, std::string> && !std::is_convertible_v<secret, std::string_view>);
static_assert(!std::is_convertible_v<std::string, secret>);
static_assert(!boost::json::has_value_from<secret>::value);
static_assert(!std::equality_comparable<secret>);    // comparing keys takes constant time elsewhere

// Longer than a string's own buffer, so that the bytes lie on the heap.
constexpr std::string_view text = "cs_0123456789abcdefghijklmnopqrstuvwxyz";

TEST(Secret, GivesItsTextOnlyByName)
{
    const secret key{std::string(text)};
    EXPECT_EQ(key.reveal(), text);
    EXPECT_FALSE(key.empty());
    EXPECT_TRUE(secret().empty());
}

TEST(Secret, AMoveLeavesNothingBehind)
{
    secret from{std::string(text)};
    const char* where = from.reveal().data();
    const secret to(std::move(from));
    EXPECT_TRUE(from.empty());    // what is left of it is the case
    EXPECT_EQ(std::string_view(where, text.size()).find_first_not_of('\0'), std::string_view::npos);
    EXPECT_EQ(to.reveal(), text);
}

TEST(Secret, AnAssignmentWipesWhatWasThere)
{
    secret key{std::string(text)};
    const char* where = key.reveal().data();
    const secret other(std::string("short"));
    key = other;
    EXPECT_EQ(key.reveal(), "short");
    const std::string_view rest(where + 6, text.size() - 6);    // the same buffer, after "short" and its NUL
    ASSERT_EQ(key.reveal().data(), where);
    EXPECT_EQ(rest.find_first_not_of('\0'), std::string_view::npos);
}

TEST(Secret, AssigningItToItselfKeepsIt)
{
    secret key{std::string(text)};
    auto& same = key;
    key = same;
    EXPECT_EQ(key.reveal(), text);
    key = std::move(same);
    EXPECT_EQ(key.reveal(), text);
}

}    // namespace
}    // namespace caisson
