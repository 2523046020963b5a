#include "core/fairness/fair_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <vector>

namespace caisson {
namespace {

tenant_id tenant(char name) { return tenant_id::from_trusted(std::string("ten_") + name); }

/// A queue that is told what happens in words, and says who got the turns.
class told_queue {
public:
    explicit told_queue(std::map<char, tenant_share> shares)
        : queue_([shares = std::move(shares)](const tenant_id& who) {
            const auto found = shares.find(who.str().back());
            return found == shares.end() ? tenant_share() : found->second;
        })
    {
    }

    /// "+a" joins, "!" is a turn, "-a" ends one that runs, "~a2" the second of a's line leaves; "*3" repeats.
    std::string tell(const std::string& script)
    {
        std::istringstream words(script);
        std::string turns;
        for (std::string word; words >> word;) {
            const auto star = word.find('*');
            const int times = star == std::string::npos ? 1 : std::stoi(word.substr(star + 1));
            for (int i = 0; i < times; ++i)
                turns += step(word);
        }
        return turns;
    }

    fair_queue& queue() { return queue_; }
    const std::vector<fair_queue::ticket>& line(char name) { return lines_[name]; }

private:
    std::string step(const std::string& word)
    {
        const char name = word.size() > 1 ? word[1] : ' ';
        if (word[0] == '+')
            lines_[name].push_back(queue_.join(tenant(name)));
        else if (word[0] == '-')
            queue_.end(tenant(name));
        else if (word[0] == '~')
            return leave(name, static_cast<std::size_t>(word[2] - '1'));
        else
            return turn();
        return "";
    }

    std::string leave(char name, std::size_t index)
    {
        auto& line = lines_[name];
        const bool left = queue_.leave(tenant(name), line.at(index));
        line.erase(line.begin() + static_cast<std::ptrdiff_t>(index));
        return left ? "" : "?";
    }

    std::string turn()
    {
        const auto got = queue_.next();
        if (!got)
            return ".";
        for (auto& [name, line] : lines_)
            if (!line.empty() && line.front() == *got) {
                line.erase(line.begin());
                return std::string(1, name);
            }
        return "?";    // not the first of its line
    }

    fair_queue queue_;
    std::map<char, std::vector<fair_queue::ticket>> lines_;
};

struct turn_case {
    std::string_view name;
    std::map<char, tenant_share> shares;
    std::string script;
    std::string want;
};
void PrintTo(const turn_case& c, std::ostream* out) { *out << c.name; }

class FairQueueTurns : public ::testing::TestWithParam<turn_case> { };

TEST_P(FairQueueTurns, AreFair)
{
    const auto& c = GetParam();
    EXPECT_EQ(told_queue(c.shares).tell(c.script), c.want);
}

INSTANTIATE_TEST_SUITE_P(Cases, FairQueueTurns,
    ::testing::Values(turn_case{"nothing_waits", {}, "!", "."}, turn_case{"one_tenant_in_its_order", {}, "+a*3 !*4", "aaa."},
        turn_case{"two_take_turns", {}, "+a*3 +b*3 !*6", "ababab"}, turn_case{"three_take_turns", {}, "+a*2 +b*2 +c*2 !*6", "abcabc"},
        turn_case{"one_floods_the_other_is_next", {}, "+a*100 !*10 +b ! !", "aaaaaaaaaaba"},
        turn_case{"a_late_comer_saves_nothing_up", {}, "+a*100 !*10 +b*5 !*8",
            "aaaaaaaaaa"
            "babababa"},
        turn_case{"who_comes_back_saves_nothing_up", {}, "+a*100 +b !*10 +b*4 !*6",
            "abaaaaaaaa"
            "bababa"},
        turn_case{"weight_three_to_one", {{'a', {3, 100}}}, "+a*9 +b*3 !*12", "abaaabaaabaa"},
        turn_case{"weight_two_to_one_to_one", {{'a', {2, 100}}}, "+a*4 +b*2 +c*2 !*8", "abcaabca"},
        turn_case{"weight_beyond_the_most_counts_as_it", {{'a', {1'000, 500}}}, "+b +a*101 !*103", "b" + std::string(101, 'a') + "."},
        turn_case{"at_its_most_it_is_passed_over", {{'a', {1, 2}}}, "+a*4 +b*4 !*7", "ababbb."},
        turn_case{"below_its_most_again", {{'a', {1, 1}}}, "+a*3 ! ! -a ! -a !", "a.aa"},
        turn_case{"its_most_saves_nothing_up", {{'a', {1, 1}}}, "+a*4 +b*20 !*8 -a !*2 -a !*2",
            "abbbbbbb"
            "ab"
            "ab"},
        turn_case{"who_leaves_costs_no_turn", {}, "+a*3 +b*2 ~a1 ! ~b1 !*3", "aba."},
        turn_case{"the_only_one_of_its_tenant_leaves", {}, "+a +b ~a1 !*2", "b."},
        turn_case{"first_come_first_served_in_its_line", {}, "+a +a +a ~a2 +a !*3", "aaa"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(FairQueue, WhoseFirstMayNotBeginIsPassedOver)
{
    fair_queue queue([](const tenant_id&) { return tenant_share(); });
    bool may_a = false;
    const auto turn = [&] {
        std::string owner = ".";
        const auto may_begin = [&](const tenant_id& who, fair_queue::ticket) {
            if (who == tenant('a') && !may_a)
                return false;
            owner = who.str().back();
            return true;
        };
        return queue.next(may_begin) ? owner : ".";
    };
    for (int i = 0; i < 6; ++i)
        for (const char name : {'a', 'b'})
            queue.join(tenant(name));
    std::string turns;
    for (int i = 0; i < 3; ++i)
        turns += turn();
    may_a = true;
    for (int i = 0; i < 4; ++i)
        turns += turn();
    EXPECT_EQ(turns, "bbbaaba") << "it has one turn of those that it missed";
    may_a = false;
    for (int i = 0; i < 3; ++i)
        turns += turn();
    EXPECT_EQ(turns.substr(7), "bb.");
    EXPECT_EQ(queue.waiting(), 3u);
}

TEST(FairQueue, CountsWhatWaitsAndRuns)
{
    told_queue told({});
    EXPECT_EQ(told.tell("+a*3 +b ! !"), "ab");
    auto& queue = told.queue();
    EXPECT_EQ(queue.waiting(), 2u);
    EXPECT_EQ(queue.running(), 2u);
    EXPECT_EQ(queue.waiting(tenant('a')), 2u);
    EXPECT_EQ(queue.running(tenant('b')), 1u);
    queue.begin(tenant('c'));
    EXPECT_EQ(queue.running(), 3u);
    told.tell("-a -b -c");
    EXPECT_EQ(queue.running(), 0u);
    EXPECT_EQ(queue.tenants(), 1u) << "who has nothing here is forgotten";
    EXPECT_FALSE(queue.leave(tenant('z'), 1));
    EXPECT_FALSE(queue.leave(tenant('a'), 999));
    queue.end(tenant('z'));
    EXPECT_EQ(queue.running(), 0u);
}

TEST(FairQueue, WhatRunsFromBeforeCountsAgainstItsMost)
{
    told_queue told({{'a', {1, 2}}});
    told.queue().begin(tenant('a'));
    told.queue().begin(tenant('a'));
    told.queue().begin(tenant('a'));
    EXPECT_EQ(told.tell("+a +b !*2"), "b.");
    EXPECT_EQ(told.tell("-a ! -a !"), ".a");
}

struct position_case {
    std::string_view name;
    std::map<char, tenant_share> shares;
    std::string script;
};
void PrintTo(const position_case& c, std::ostream* out) { *out << c.name; }

class FairQueuePosition : public ::testing::TestWithParam<position_case> { };

/// Each place that was told is the turn that comes.
TEST_P(FairQueuePosition, IsTheTurnThatItGets)
{
    const auto& c = GetParam();
    told_queue told(c.shares);
    told.tell(c.script);
    std::vector<std::pair<std::size_t, fair_queue::ticket>> told_places;
    for (const char name : {'a', 'b', 'c'}) {
        const auto line = told.line(name);
        for (std::size_t i = 0; i < line.size(); ++i) {
            told_places.emplace_back(told.queue().position(tenant(name), line[i]), line[i]);
            if (i == 0) {
                EXPECT_EQ(told.queue().position_of_first(tenant(name)), told_places.back().first);
            }
        }
    }
    std::sort(told_places.begin(), told_places.end());
    for (std::size_t i = 0; i < told_places.size(); ++i) {
        EXPECT_EQ(told_places[i].first, i + 1);
        EXPECT_EQ(told.queue().next(), told_places[i].second) << "turn " << i + 1;
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, FairQueuePosition,
    ::testing::Values(position_case{"one_line", {}, "+a*5"}, position_case{"equal", {}, "+a*5 +b*3 +c*4"},
        position_case{"after_some_turns", {}, "+a*9 +b*9 !*5 +c*4"},
        position_case{"weights", {{'a', {3, 99}}, {'b', {7, 99}}}, "+a*9 +b*20 +c*4"},
        position_case{"weights_and_late", {{'c', {100, 99}}}, "+a*9 +b*20 !*7 +c*30"},
        position_case{"some_left", {{'b', {2, 99}}}, "+a*9 +b*9 +c*9 ~a1 ~b5 ~c9"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(FairQueue, PositionOfTheNextIsWhatItGets)
{
    told_queue told({{'a', {3, 99}}});
    told.tell("+a*30 +b*5 !*4");
    for (const char name : {'a', 'b', 'c'}) {
        const auto said = told.queue().position_of_next(tenant(name));
        const auto ticket = told.queue().join(tenant(name));
        EXPECT_EQ(told.queue().position(tenant(name), ticket), said) << name;
        told.queue().leave(tenant(name), ticket);
    }
    EXPECT_EQ(told.queue().position(tenant('a'), 9'999), 0u);
    EXPECT_EQ(told.queue().position(tenant('z'), 1), 0u);
    EXPECT_EQ(told.queue().position_of_first(tenant('z')), 0u);
}

TEST(FairQueue, WhoComesAgainIsAheadOfWhatItsTenantSentLater)
{
    fair_queue queue([](const tenant_id&) { return tenant_share(); });
    const auto first = queue.join(tenant('a'));
    const auto second = queue.join(tenant('a'));
    EXPECT_EQ(queue.next(), first);
    const auto third = queue.join(tenant('a'));
    const auto other = queue.join(tenant('b'));
    queue.end(tenant('a'));
    queue.rejoin(tenant('a'), first);
    EXPECT_EQ(queue.waiting(tenant('a')), 3u);
    EXPECT_EQ(queue.position_of_first(tenant('a')), queue.position(tenant('a'), first));
    std::vector<std::optional<fair_queue::ticket>> turns;
    for (int i = 0; i < 4; ++i)
        turns.push_back(queue.next());
    std::erase(turns, other);
    EXPECT_EQ(turns, (std::vector<std::optional<fair_queue::ticket>>{first, second, third}));
    EXPECT_EQ(queue.next(), std::nullopt);
}

TEST(FairQueue, ATicketDrawnInAdvanceKeepsItsPlace)
{
    fair_queue queue([](const tenant_id&) { return tenant_share(); });
    const auto drawn = queue.draw();
    EXPECT_EQ(queue.waiting(), 0u);
    const auto later = queue.join(tenant('a'));
    queue.rejoin(tenant('a'), drawn);
    EXPECT_EQ(queue.next(), drawn);
    EXPECT_EQ(queue.next(), later);
    EXPECT_FALSE(queue.leave(tenant('a'), drawn));
}

/// Counted, not timed: with 50,000 in line a newcomer of another tenant is second at the latest.
TEST(FairQueue, TensOfThousandsMayWait)
{
    fair_queue queue([](const tenant_id&) { return tenant_share(); });
    for (int i = 0; i < 50'000; ++i)
        queue.join(tenant('a'));
    const auto other = queue.join(tenant('b'));
    EXPECT_EQ(queue.position(tenant('b'), other), 2u);
    queue.next();
    EXPECT_EQ(queue.next(), other);
    for (int i = 1; i < 50'000; ++i)
        ASSERT_TRUE(queue.next().has_value());
    EXPECT_FALSE(queue.next().has_value());
    EXPECT_EQ(queue.running(), 50'001u);
}

}    // namespace
}    // namespace caisson
