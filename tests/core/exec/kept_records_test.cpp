#include "core/exec/kept_records.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

std::int64_t bytes_of_file(std::size_t path_bytes)
{
    std::vector<artifact_row> files(1);
    files.front().path = std::string(path_bytes, 'x');
    return kept_bytes_of({}, {}, files, 0) - kept_bytes_of({}, {}, {}, 0);
}

/// Files of 1,208 bytes of path were seen to take 7,000 bytes of records.db each.
TEST(KeptBytes, OfALongPathAreAlsoThoseOfItsIndex)
{
    EXPECT_GE(bytes_of_file(1'208), 6'500);
    EXPECT_LE(bytes_of_file(1'208), 7'500);
    EXPECT_LE(bytes_of_file(20), 400);
}

}    // namespace
}    // namespace caisson
