#include "tests/storage/thread_fixture.hpp"

namespace caisson::testing {

namespace {

struct list_case {
    const char* name;
    const char* want;
    list_order order = list_order::oldest_first;
    const char* after = "";    // an id, or a time
    const char* before = "";
    std::size_t limit = 100;
};

class ThreadList : public ThreadStoreTest, public ::testing::WithParamInterface<list_case> {
protected:
    /// Six checkpoints, a to f, at 1000, 2000, 3000, 3000, 4000 and 5000.
    void SetUp() override
    {
        constexpr std::int64_t times[] = {1'000, 2'000, 3'000, 3'000, 4'000, 5'000};
        for (int i = 0; i < 6; ++i) {
            now_ms_ = times[i];
            auto one = draft("t", std::string(1, static_cast<char>('a' + i)), std::to_string(i));
            one.row.metadata.step = i / 2;
            one.row.metadata.node_id = i % 2 == 0 ? "even" : "odd";
            one.row.metadata.tags = {i < 3 ? "low" : "high", "all"};
            one.row.metadata.custom = "{\"n\":" + std::to_string(i) + ",\"s\":\"" + std::to_string(i % 3) + "\"}";
            ASSERT_TRUE(try_save(one).has_value());
        }
    }
    static std::optional<checkpoint_bound> bound(std::string_view text)
    {
        if (text.empty())
            return std::nullopt;
        if (text.front() >= '0' && text.front() <= '9')
            return std::stoll(std::string(text));
        return checkpoint_id::from_trusted(std::string(text));
    }
    std::string ids(const checkpoint_filter& filter)
    {
        auto page = run(store().list(tenant_, thread_name("t"), filter));
        if (page.has_error())
            return page.error().detail;
        std::string text;
        for (const auto& each : page->items)
            text += each.row.id.str();
        return page->next ? text + ">" : text;
    }
};

TEST_P(ThreadList, GivesTheRange)
{
    const auto& c = GetParam();
    checkpoint_filter filter;
    filter.order = c.order;
    filter.after = bound(c.after);
    filter.before = bound(c.before);
    filter.limit = c.limit;
    EXPECT_EQ(ids(filter), c.want);
}

constexpr list_case list_cases[] = {
    {"all", "abcdef"},
    {"newest_first", "fedcba", list_order::newest_first},
    {"after_an_id_is_inclusive", "bcdef", list_order::oldest_first, "b"},
    {"before_an_id_is_inclusive", "abcd", list_order::oldest_first, "", "d"},
    {"after_a_time_is_inclusive", "bcdef", list_order::oldest_first, "2000"},
    {"after_a_time_between_two", "ef", list_order::oldest_first, "3001"},
    {"before_a_time_is_inclusive", "abcd", list_order::oldest_first, "", "3000"},
    {"before_the_first", "", list_order::oldest_first, "", "999"},
    {"after_the_last", "", list_order::oldest_first, "5001"},
    {"one_moment", "cd", list_order::oldest_first, "3000", "3000"},
    {"crossed", "", list_order::oldest_first, "e", "b"},
    {"limit_is_of_the_order", "ab>", list_order::oldest_first, "", "", 2},
    {"limit_newest_first", "fe>", list_order::newest_first, "", "", 2},
    {"limit_that_is_met", "abcdef", list_order::oldest_first, "", "", 6},
    {"no_such_bound", "after names no checkpoint of this thread: z", list_order::oldest_first, "z"},
};
INSTANTIATE_TEST_SUITE_P(Cases, ThreadList, ::testing::ValuesIn(list_cases), [](const auto& info) { return std::string(info.param.name); });

class ThreadFilter : public ThreadList { };

TEST_F(ThreadFilter, NarrowsByMetadata)
{
    checkpoint_filter filter;
    filter.order = list_order::oldest_first;
    filter.metadata.step = 1;
    EXPECT_EQ(ids(filter), "cd");
    filter.metadata.node_id = "odd";
    EXPECT_EQ(ids(filter), "d");
    filter.metadata = {};
    filter.metadata.tags = {"high", "all"};
    EXPECT_EQ(ids(filter), "def");
    filter.metadata = {};
    filter.metadata.custom = {condition_on("s", "1")};
    EXPECT_EQ(ids(filter), "be");
    filter.metadata.custom = {condition_on("n", "4"), condition_on("s", "1")};
    EXPECT_EQ(ids(filter), "e");
}

TEST_F(ThreadFilter, OneThreadIsNotTakenForALaterOneOfItsName)
{
    save("one", "a");
    checkpoint_filter filter;
    filter.thread_key = run(store().find_thread(tenant_, thread_name("one")))->key;
    EXPECT_EQ(run(store().list(tenant_, thread_name("one"), filter))->items.size(), 1u);
    ASSERT_TRUE(*run(store().erase_thread(tenant_, thread_name("one"))));
    save("one", "b");
    const auto other = run(store().list(tenant_, thread_name("one"), filter));
    ASSERT_TRUE(other.has_error());
    EXPECT_EQ(other.error().code, errc::not_found);
}

TEST_F(ThreadFilter, PagesGoOnWhereTheyEnded)
{
    checkpoint_filter filter;
    filter.limit = 1;
    filter.metadata.tags = {"low"};
    std::string all;
    for (int pages = 0; pages < 10; ++pages) {
        const auto page = *run(store().list(tenant_, thread_name("t"), filter));
        for (const auto& each : page.items)
            all += each.row.id.str();
        if (!page.next)
            break;
        filter.beyond = page.next;
    }
    EXPECT_EQ(all, "cba");
}

TEST_F(ThreadFilter, LooksAtSoManyAndGoesOn)
{
    checkpoint_filter filter;
    filter.most_looked_at = 2;
    filter.order = list_order::oldest_first;
    filter.metadata.tags = {"high"};
    EXPECT_EQ(ids(filter), ">");
    filter.beyond = 2;
    EXPECT_EQ(ids(filter), "d>");
}

TEST_F(ThreadFilter, LooksAtFewerWhereThereIsMoreToCompare)
{
    auto one = draft("t", "large", "7");
    one.row.metadata.custom = "{\"n\":\"" + std::string(256, 'x') + "\"}";
    ASSERT_TRUE(try_save(std::move(one)).has_value());
    checkpoint_filter filter;
    filter.most_looked_at = 3;
    filter.limit = 3;
    const auto looked_at = [&] {
        const auto page = *run(store().list(tenant_, thread_name("t"), filter));
        return 7 - page.next.value_or(0) + 1;    // the newest is the seventh
    };
    EXPECT_EQ(looked_at(), 3);
    filter.metadata.custom = {condition_on("n", "none")};
    EXPECT_EQ(looked_at(), 2);
}

TEST_F(ThreadFilter, StatesComeWhenTheyAreAskedForAndEndAPage)
{
    checkpoint_filter filter;
    filter.with_states = true;
    const auto all = *run(store().list(tenant_, thread_name("t"), filter));
    filter.most_bytes = text_bytes(all.items[0].row) + all.items[0].state.size() + 1;    // a second one begins below it
    const auto page = *run(store().list(tenant_, thread_name("t"), filter));
    ASSERT_EQ(page.items.size(), 2u);
    EXPECT_EQ(page.items[0].state.view(), "5");
    EXPECT_TRUE(page.next);
}

TEST_F(ThreadFilter, MetadataEndsAPageToo)
{
    checkpoint_filter filter;
    const auto all = *run(store().list(tenant_, thread_name("t"), filter));
    ASSERT_GT(text_bytes(all.items[0].row), 0u);
    filter.most_bytes = 1;
    const auto page = *run(store().list(tenant_, thread_name("t"), filter));
    EXPECT_EQ(page.items.size(), 1u);
    EXPECT_TRUE(page.next);
}

}    // namespace

}    // namespace caisson::testing
