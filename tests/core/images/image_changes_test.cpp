#include "tests/core/images/image_world.hpp"

/// What the service remembers of the engine's images, and when it asks again.
namespace caisson::imaging {

using caisson::testing::digest_of;

class ImageChanges : public ImageService {
protected:
    void TearDown() override
    {
        for (const auto& each : {leave_, leave_known_}) {
            each->emit(asio::cancellation_type::terminal);
            turn();
        }
    }
    void follow()
    {
        following_ = begin(wait_for(service().follow()), leave_);
        engine_.add("bash:5");
    }
    void keep_known() { keeping_ = begin(wait_for(service().keep_known()), leave_known_); }
    void hear()
    {
        follow();
        engine_.listener.begun();
    }
    /// "" if it is not there.
    std::string id_of(const std::string& reference)
    {
        const auto found = run(service().find(reference));
        return found.has_value() ? found->id : "";
    }
    /// Asks once, so that it may be remembered.
    void ask() { EXPECT_EQ(id_of("bash:5"), digest_of("bash:5")); }
    bool is_known() { return service().find_now("bash:5").has_value(); }
    void move_name() { engine_.images["bash:5"].id = "sha256:other"; }

private:
    static task<bool> wait_for(task<> work)
    {
        co_await std::move(work);
        co_return true;
    }

    std::shared_ptr<asio::cancellation_signal> leave_ = std::make_shared<asio::cancellation_signal>();
    std::shared_ptr<asio::cancellation_signal> leave_known_ = std::make_shared<asio::cancellation_signal>();
    std::shared_ptr<under_way<bool>> following_;
    std::shared_ptr<under_way<bool>> keeping_;
};

TEST_F(ImageChanges, WhatIsUsedIsAskedForAgainBeforeItIsTooOld)
{
    hear();
    keep_known();
    ask();
    move_name();    // without a word
    for (int i = 0; i < 20; ++i) {
        advance(250ms);
        EXPECT_TRUE(is_known()) << i;
    }
    EXPECT_EQ(id_of("bash:5"), "sha256:other");
}

TEST_F(ImageChanges, WhatNobodyUsesAnyMoreIsNotAskedFor)
{
    hear();
    keep_known();
    ask();
    for (int i = 0; i < 250; ++i)
        advance(250ms);
    const auto calls = engine_.calls();
    advance(10s);
    EXPECT_EQ(engine_.calls(), calls);
    ask();
    for (int i = 0; i < 8; ++i)
        advance(250ms);
    EXPECT_TRUE(is_known());
}

TEST_F(ImageChanges, AreNotHeardAtFirstAndTheEngineIsAskedEachTime)
{
    follow();
    ask();
    EXPECT_FALSE(is_known());
    move_name();
    EXPECT_EQ(id_of("bash:5"), "sha256:other");
}

TEST_F(ImageChanges, AsLongAsThereAreNoneTheEngineIsAskedOnce)
{
    hear();
    EXPECT_FALSE(is_known());
    ask();
    const auto calls = engine_.calls();
    ask();
    EXPECT_TRUE(is_known());
    EXPECT_EQ(engine_.calls(), calls);
}

TEST_F(ImageChanges, AMovedNameIsSeenByWhoAsksNext)
{
    hear();
    ask();
    move_name();
    engine_.listener.changed();
    EXPECT_FALSE(is_known());
    EXPECT_EQ(id_of("bash:5"), "sha256:other");
    EXPECT_TRUE(is_known());
}

TEST_F(ImageChanges, ARemovedImageIsGoneForWhoAsksNext)
{
    hear();
    ask();
    engine_.images.clear();
    engine_.listener.changed();
    EXPECT_FALSE(is_known());
    EXPECT_EQ(id_of("bash:5"), "");
    EXPECT_FALSE(is_known()) << "what is missing may come at any time";
}

TEST_F(ImageChanges, WhileTheyAreNotHeardNothingIsRemembered)
{
    hear();
    ask();
    engine_.listener.broke({errc::runtime_unavailable, "the engine went away"});
    EXPECT_FALSE(is_known());
    move_name();
    EXPECT_EQ(id_of("bash:5"), "sha256:other");
    EXPECT_FALSE(is_known());
    engine_.listener.begun();
    EXPECT_FALSE(is_known());
    EXPECT_EQ(id_of("bash:5"), "sha256:other");
    EXPECT_TRUE(is_known());
}

TEST_F(ImageChanges, AnAnswerThatOneOvertookIsNotRemembered)
{
    hear();
    engine_.inspecting.cork();
    const auto asking = begin(service().find("bash:5"));
    move_name();
    engine_.listener.changed();
    engine_.inspecting.uncork();
    turn();
    ASSERT_TRUE(asking->value);
    EXPECT_FALSE(is_known());
    EXPECT_EQ(id_of("bash:5"), "sha256:other");
}

TEST_F(ImageChanges, ThatAnEngineDoesNotTellOfAreSeenAfterASecond)
{
    hear();
    ask();
    move_name();
    advance(1s);
    EXPECT_FALSE(is_known());
    EXPECT_EQ(id_of("bash:5"), "sha256:other");
}

TEST_F(ImageChanges, ByAnImportCountAtOnce)
{
    hear();
    ask();
    caisson::testing::text_tar tar("root");
    EXPECT_TRUE(run(service().import("bash:5", &tar, {})).has_value());
    EXPECT_FALSE(is_known());
}

TEST_F(ImageChanges, ByALoadCountAtOnce)
{
    hear();
    ask();
    caisson::testing::text_tar tar("bash:5");
    EXPECT_TRUE(run(service().load(&tar)).has_value());
    EXPECT_FALSE(is_known());
}

TEST_F(ImageChanges, ByARemovalCountAtOnce)
{
    hear();
    ask();
    EXPECT_TRUE(run(service().remove("bash:5")).has_value());
    EXPECT_FALSE(is_known());
    EXPECT_EQ(id_of("bash:5"), "");
}

TEST_F(ImageChanges, ByAPullCountFromItsBegin)
{
    hear();
    ask();
    engine_.registry = {"bash:5"};
    engine_.pulling.cork();
    const auto fetching = begin(service().fetch("bash:5", {}));
    EXPECT_FALSE(is_known()) << "it is to be waited for";
    engine_.pulling.uncork();
    turn();
    ASSERT_TRUE(fetching->value);
    EXPECT_FALSE(is_known());
    ask();
    EXPECT_TRUE(is_known());
}

TEST_F(ImageChanges, AnImageThatIsAlwaysFetchedIsNeverKnown)
{
    options_.policy = pull_policy::always;
    hear();
    engine_.registry = {"bash:5"};
    EXPECT_TRUE(run(service().ensure("bash:5", {})).has_value());
    EXPECT_FALSE(is_known());
}

}    // namespace caisson::imaging
