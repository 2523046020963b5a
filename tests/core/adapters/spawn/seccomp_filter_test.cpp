#include "core/adapters/spawn/seccomp_filter.hpp"

#include <gtest/gtest.h>

#include <linux/filter.h>

namespace caisson {

namespace {

TEST(SeccompFilter, IsAProgramTheKernelTakes)
{
    for (const auto* filter : {&payload_filter(), &agent_filter()}) {
        EXPECT_EQ(filter->size() % sizeof(sock_filter), 0U);
        EXPECT_GT(filter->size() / sizeof(sock_filter), 100U);
        EXPECT_LE(filter->size() / sizeof(sock_filter), static_cast<std::size_t>(BPF_MAXINSNS));
    }
}

TEST(SeccompFilter, OfThePayloadRefusesMore) { EXPECT_GT(payload_filter().size(), agent_filter().size()); }

}    // namespace

}    // namespace caisson
