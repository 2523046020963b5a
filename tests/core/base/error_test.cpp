#include "core/base/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <type_traits>

namespace caisson {
namespace {

TEST(Error, EveryCodeHasItsOwnSlug)
{
    std::set<std::string_view> seen;
    for (int code = 0; code <= static_cast<int>(errc::cancelled); ++code) {
        const auto name = slug(static_cast<errc>(code));
        EXPECT_TRUE(seen.insert(name).second) << name;
        EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string_view::npos) << name;
    }
    EXPECT_EQ(slug(errc::bad_request), "bad_request");
}

TEST(Error, AFailedResultThrowsItsErrorFromValue)
{
    const result<int> failed = error{errc::conflict, "exists", {{"name", "is taken"}}};
    try {
        failed.value();
        FAIL() << "value() of a failed result returned";
    } catch (const error_exception& e) {
        EXPECT_EQ(e.error().code, errc::conflict);
        EXPECT_STREQ(e.what(), "conflict: exists");
        ASSERT_EQ(e.error().fields.size(), 1u);
        EXPECT_EQ(e.error().fields[0].field, "name");
    }
}

TEST(Error, AVoidResultIsASuccessByDefault)
{
    EXPECT_TRUE(result<>().has_value());
    EXPECT_TRUE(result<>(error{errc::gone, ""}).has_error());
}

}    // namespace
}    // namespace caisson
