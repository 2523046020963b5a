// Which results stay and which go.

#include "app/compile/entry_index.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

const auto one = tenant_id::from_trusted("ten_1");
const auto other = tenant_id::from_trusted("ten_2");
const auto third = tenant_id::from_trusted("ten_3");
constexpr std::int64_t block = 8'192;    // what one of 4 KiB counts for

std::string told(const std::vector<entry_index::entry>& gone)
{
    std::string out;
    for (const auto& each : gone)
        out += each.tenant.str().substr(4) + each.key + " ";
    return out;
}

std::string add(entry_index& to, const tenant_id& tenant, const std::string& key, std::int64_t bytes = 4'096)
{
    return told(to.add(tenant, key, bytes));
}

TEST(EntryIndex, WhatWasUsedLongestAgoGoesFirst)
{
    entry_index index({.most_bytes = 100 * block, .most_bytes_of_tenant = 2 * block, .most_entry_bytes = 0});
    EXPECT_EQ(add(index, one, "a"), "");
    EXPECT_EQ(add(index, one, "b"), "");
    EXPECT_TRUE(index.use(one, "a"));
    EXPECT_EQ(add(index, one, "c"), "1b ");
    EXPECT_TRUE(index.contains(one, "a"));
    EXPECT_FALSE(index.use(one, "b"));
    EXPECT_EQ(index.bytes(), 2 * block);
}

TEST(EntryIndex, ATenantTakesNothingFromOthers)
{
    entry_index index({.most_bytes = 100 * block, .most_bytes_of_tenant = 2 * block, .most_entry_bytes = 0});
    add(index, other, "x");
    for (const std::string key : {"a", "b", "c", "d"})
        add(index, one, key);
    EXPECT_TRUE(index.contains(other, "x"));
    EXPECT_FALSE(index.contains(other, "d"));
    EXPECT_EQ(index.size(), 3u);
}

TEST(EntryIndex, OfAllTheLargestGivesWay)
{
    entry_index index({.most_bytes = 4 * block, .most_bytes_of_tenant = 3 * block, .most_entry_bytes = 0});
    add(index, other, "x");
    for (const std::string key : {"a", "b", "c"})
        EXPECT_EQ(add(index, one, key), "");
    EXPECT_EQ(add(index, third, "y"), "1a ");
    EXPECT_EQ(index.bytes(), 4 * block);
}

TEST(EntryIndex, CountsAreBoundedToo)
{
    entry_index index(
        {.most_bytes = 1 << 30, .most_bytes_of_tenant = 1 << 30, .most_entry_bytes = 0, .most_entries_of_tenant = 2, .most_entries = 3});
    add(index, one, "a");
    add(index, one, "b");
    EXPECT_EQ(add(index, one, "c"), "1a ");
    EXPECT_EQ(add(index, other, "x"), "");
    EXPECT_EQ(add(index, third, "y"), "1b ");
}

TEST(EntryIndex, OneThatIsAddedAgainIsOne)
{
    entry_index index({.most_bytes = 100 * block, .most_bytes_of_tenant = 100 * block, .most_entry_bytes = 0});
    add(index, one, "a", 40'000);
    add(index, one, "a", 4'096);
    EXPECT_EQ(index.size(), 1u);
    EXPECT_EQ(index.bytes(), block);
    index.erase(one, "a");
    index.erase(one, "a");
    EXPECT_EQ(index.bytes(), 0);
    EXPECT_EQ(index.size(), 0u);
}

}    // namespace
}    // namespace caisson
