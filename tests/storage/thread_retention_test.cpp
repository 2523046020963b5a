#include "core/threads/retention_rules.hpp"
#include "tests/storage/thread_fixture.hpp"

#include <random>

namespace caisson::testing {

namespace {

class ThreadRetention : public ThreadStoreTest {
protected:
    void retain()
    {
        while (*run(store().retain(tenant_, thread_name("t"), now_ms_, 3)) > 0) { }
    }
};

TEST_F(ThreadRetention, OneTooManyTakesTheOldestInTheSameWrite)
{
    policy_.max_checkpoints = 2;
    for (const auto* id : {"a", "b", "c", "d"})
        save("t", id, std::string("\"") + id + "\"");
    EXPECT_EQ(chain("t"), "c<+2 d<c");
    EXPECT_EQ(usage().states, 2);
    expect_sound();
}

TEST_F(ThreadRetention, ASaveWhoseParentGoesSaysSo)
{
    policy_.max_checkpoints = 1;
    save("t", "a");
    const auto row = save("t", "b");
    EXPECT_EQ(row.parent, std::nullopt);
    EXPECT_EQ(row.gap, 1);
}

/// What a branch held goes with the next look once the branch is gone.
TEST_F(ThreadRetention, WhatABranchHeldGoesAfterIt)
{
    policy_ = {1, std::nullopt};
    save("t", "a");
    ASSERT_TRUE(
        run(store().branch(tenant_, thread_name("t"), {}, thread_name("u"), checkpoint_id::from_trusted("x"), 1, bounds_)).has_value());
    save("t", "b");
    EXPECT_EQ(chain("t"), "a b<a");
    EXPECT_EQ(*run(store().retain_due(now_ms_, 10)), 0u);
    ASSERT_TRUE(*run(store().erase_thread(tenant_, thread_name("u"))));
    EXPECT_EQ(*run(store().retain_due(now_ms_, 10)), 1u);
    EXPECT_EQ(chain("t"), "b<+1");
    EXPECT_EQ(*run(store().retain_due(now_ms_, 10)), 0u);
}

TEST_F(ThreadRetention, PinnedAndBranchedOnesStay)
{
    policy_.max_checkpoints = 2;
    save("t", "a");
    ASSERT_TRUE(run(store().pin(tenant_, thread_name("t"), checkpoint_id::from_trusted("a"), true)).has_value());
    save("t", "b");
    ASSERT_TRUE(
        run(store().branch(tenant_, thread_name("t"), {}, thread_name("u"), checkpoint_id::from_trusted("x"), 1, bounds_)).has_value());
    for (const auto* id : {"c", "d", "e"})
        save("t", id);
    EXPECT_EQ(chain("t"), "a b<a d<b+1 e<d");
    ASSERT_TRUE(run(store().erase_thread(tenant_, thread_name("u"))).value());
    save("t", "f");
    EXPECT_EQ(chain("t"), "a e<a+3 f<e");
    expect_sound();
}

TEST_F(ThreadRetention, WhatIsOverGoesButTheNewest)
{
    policy_.ttl_ms = 100;
    save("t", "a");
    now_ms_ += 50;
    save("t", "b");
    now_ms_ += 49;
    EXPECT_EQ(*run(store().retain_due(now_ms_, 100)), 0u);
    now_ms_ += 1;
    EXPECT_EQ(*run(store().retain_due(now_ms_, 100)), 1u);
    EXPECT_EQ(chain("t"), "b<+1");
    now_ms_ += 10'000;
    EXPECT_EQ(*run(store().retain_due(now_ms_, 100)), 0u);
    EXPECT_EQ(chain("t"), "b<+1");
    save("t", "c");
    EXPECT_EQ(chain("t"), "c<+2");
}

TEST_F(ThreadRetention, AChangedPolicyIsCarriedOutInSteps)
{
    policy_.max_checkpoints = 1'000;
    for (int i = 0; i < 200; ++i)
        save("t", "");
    const auto row = *run(store().set_policy(tenant_, thread_name("t"), {10, std::nullopt}, now_ms_, bounds_));
    EXPECT_EQ(row.checkpoints, 136);
    retain();
    EXPECT_EQ(run(store().find_thread(tenant_, thread_name("t")))->checkpoints, 10);
    expect_sound();
}

/// What the rules say of a list, beside what the store makes of its rows.
class model {
public:
    explicit model(retention_policy& policy) : policy_(policy) { }

    void add(checkpoint_id id, std::optional<checkpoint_id> parent, std::int64_t now_ms)
    {
        if (!parent && !all_.empty())
            parent = all_.back().id;
        all_.push_back({std::move(id), std::move(parent), 0, now_ms, false, false});
    }
    retention_candidate& at(std::size_t i) { return all_[i]; }
    std::size_t size() const { return all_.size(); }
    void erase(std::size_t i)
    {
        std::vector<bool> goes(all_.size());
        goes[i] = true;
        carry_out(plan_removal(all_, goes));
    }
    void retain(std::int64_t now_ms) { carry_out(plan_retention(all_, policy_, now_ms)); }
    std::string chain() const
    {
        std::string text;
        for (const auto& each : all_) {
            text.append(text.empty() ? "" : " ").append(each.id.str());
            if (each.parent || each.gap > 0)
                text.append("<").append(each.parent ? each.parent->str() : "");
            if (each.gap > 0)
                text.append("+").append(std::to_string(each.gap));
        }
        return text.empty() ? "none" : text;
    }

private:
    void carry_out(const retention_plan& plan)
    {
        for (const auto& each : plan.relinked)
            for (auto& one : all_)
                if (one.id == each.id) {
                    one.parent = each.parent;
                    one.gap = each.gap;
                }
        std::erase_if(all_, [&](const auto& one) { return std::ranges::find(plan.dropped, one.id) != plan.dropped.end(); });
    }
    retention_policy& policy_;
    std::vector<retention_candidate> all_;
};

class RandomHistory : public ThreadRetention, public ::testing::WithParamInterface<unsigned> {
protected:
    std::size_t below(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most - 1)(random_); }
    void save_one()
    {
        auto one = draft("t", "c" + std::to_string(++count_), std::to_string(below(5)));
        if (model_.size() > 0 && below(3) == 0)
            one.request.parent = model_.at(below(model_.size())).id;
        ASSERT_TRUE(try_save(one).has_value());
        model_.add(one.row.id, one.request.parent, now_ms_);
    }
    void change_one()
    {
        const auto i = below(model_.size());
        auto& one = model_.at(i);
        switch (below(4)) {
        case 0:
            one.pinned = !one.pinned;
            ASSERT_TRUE(run(store().pin(tenant_, thread_name("t"), one.id, one.pinned)).has_value());
            break;
        case 1:
            ASSERT_TRUE(run(store().erase(tenant_, thread_name("t"), one.id, now_ms_)).has_value());
            model_.erase(i);
            break;
        case 2:
            one.needed = true;
            ASSERT_TRUE(run(store().branch(tenant_, thread_name("t"), one.id, thread_name("b" + std::to_string(++count_)),
                                checkpoint_id::from_trusted("x"), now_ms_, bounds_))
                    .has_value());
            break;
        default:
            policy_ = {static_cast<std::int64_t>(1 + below(12)), below(2) == 0 ? std::nullopt : std::optional<std::int64_t>(1 + below(60))};
            ASSERT_TRUE(run(store().set_policy(tenant_, thread_name("t"), policy_, now_ms_, bounds_)).has_value());
        }
    }

    std::mt19937 random_{GetParam()};
    model model_{policy_};
    int count_ = 0;
};

TEST_P(RandomHistory, TheStoreDoesWhatTheRulesSay)
{
    policy_.max_checkpoints = 8;
    for (int i = 0; i < 120; ++i) {
        now_ms_ += static_cast<std::int64_t>(below(8));
        model_.size() == 0 || below(3) > 0 ? save_one() : change_one();
        model_.retain(now_ms_);
        if (i == 0 || model_.size() > 0)
            retain();
        ASSERT_EQ(chain("t").empty() ? "none" : chain("t"), model_.chain()) << "step " << i;
    }
    expect_sound();
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomHistory, ::testing::Range(1u, 7u));

}    // namespace

}    // namespace caisson::testing
