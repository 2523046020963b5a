#include "storage/sqlite/errors.hpp"

#include <gtest/gtest.h>

namespace caisson::testing {

namespace {

TEST(StorageErrorCopy, HasFaultAndTextOfItsOwn)
{
    const auto first = std::make_exception_ptr(storage_error(storage_fault::disk_full, "no room"));
    const auto second = copy_of(first);
    EXPECT_NE(first, second);
    try {
        std::rethrow_exception(second);
    } catch (const storage_error& e) {
        EXPECT_EQ(e.fault(), storage_fault::disk_full);
        EXPECT_STREQ(e.what(), "no room");
    }
}

TEST(StorageErrorCopy, OfAnotherExceptionIsBroken)
{
    for (const auto& each : {std::make_exception_ptr(std::runtime_error("other")), std::make_exception_ptr(7)})
        try {
            std::rethrow_exception(copy_of(each));
        } catch (const storage_error& e) {
            EXPECT_EQ(e.fault(), storage_fault::broken);
        }
}

}    // namespace

}    // namespace caisson::testing
