#include "core/images/known_images.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

using namespace std::chrono_literals;

stored_image image(const std::string& id)
{
    stored_image made;
    made.id = id;
    return made;
}

class KnownImages : public ::testing::Test {
protected:
    void keep(const std::string& reference, const std::string& id) { known.keep(reference, image(id), known.version(), now); }
    std::string id_of(const std::string& reference)
    {
        const auto found = known.find(reference, now);
        return found ? found->id : "";
    }

    known_images known;
    steady_time now{1'000s};
};

TEST_F(KnownImages, AreNoneWhileNoChangesAreHeard)
{
    keep("bash:5", "sha256:a");
    EXPECT_EQ(id_of("bash:5"), "");
}

TEST_F(KnownImages, AreWhatTheEngineAnswered)
{
    known.begin_hearing();
    keep("bash:5", "sha256:a");
    keep("python:3", "sha256:b");
    EXPECT_EQ(id_of("bash:5"), "sha256:a");
    EXPECT_EQ(id_of("python:3"), "sha256:b");
    EXPECT_EQ(id_of("other:1"), "");
}

TEST_F(KnownImages, AreForgottenWithAnyChange)
{
    known.begin_hearing();
    keep("bash:5", "sha256:a");
    known.forget();
    EXPECT_EQ(id_of("bash:5"), "");
    keep("bash:5", "sha256:b");
    EXPECT_EQ(id_of("bash:5"), "sha256:b");
}

TEST_F(KnownImages, DoNotTakeAnAnswerThatAChangeOvertook)
{
    known.begin_hearing();
    const auto before = known.version();
    known.forget();
    known.keep("bash:5", image("sha256:a"), before, now);
    EXPECT_EQ(id_of("bash:5"), "");
}

TEST_F(KnownImages, DoNotTakeAnAnswerFromBeforeChangesWereHeard)
{
    const auto before = known.version();
    known.begin_hearing();
    known.keep("bash:5", image("sha256:a"), before, now);
    EXPECT_EQ(id_of("bash:5"), "");
}

TEST_F(KnownImages, AreForgottenWhenChangesAreNotHeardAnyMore)
{
    known.begin_hearing();
    keep("bash:5", "sha256:a");
    known.end_hearing();
    EXPECT_EQ(id_of("bash:5"), "");
    keep("bash:5", "sha256:a");
    known.begin_hearing();
    EXPECT_EQ(id_of("bash:5"), "");
}

TEST_F(KnownImages, AreAskedForAgainAfterASecond)
{
    known.begin_hearing();
    keep("bash:5", "sha256:a");
    now += 999ms;
    EXPECT_EQ(id_of("bash:5"), "sha256:a");
    now += 1ms;
    EXPECT_EQ(id_of("bash:5"), "");
}

TEST_F(KnownImages, AreSoManyAtMost)
{
    known.begin_hearing();
    for (int i = 0; i <= 1'000; ++i)
        keep("image:" + std::to_string(i), "sha256:a");
    EXPECT_EQ(id_of("image:0"), "");
    EXPECT_EQ(id_of("image:1000"), "sha256:a");
}

TEST_F(KnownImages, AreDueWhileTheyAreUsedAndNotFresh)
{
    known.begin_hearing();
    keep("bash:5", "sha256:a");
    EXPECT_TRUE(known.is_in_use(now));
    EXPECT_TRUE(known.due(now).empty());
    now += 299ms;
    EXPECT_TRUE(known.due(now).empty());
    now += 1ms;
    EXPECT_EQ(known.due(now), std::vector<std::string>{"bash:5"});
    keep("bash:5", "sha256:a");
    EXPECT_TRUE(known.due(now).empty());
    now += 59'699ms;
    EXPECT_EQ(known.due(now), std::vector<std::string>{"bash:5"});
    keep("bash:5", "sha256:a");
    now += 1ms;
    EXPECT_FALSE(known.is_in_use(now)) << "to ask for it is no use of it";
    now += 500ms;
    EXPECT_TRUE(known.due(now).empty());
    EXPECT_EQ(id_of("bash:5"), "sha256:a");
    known.drop("bash:5");
    EXPECT_EQ(id_of("bash:5"), "");
}

TEST_F(KnownImages, SoManyAreDueAtOnceThoseThatWereUsedLast)
{
    known.begin_hearing();
    for (int i = 0; i < 20; ++i) {
        keep("image:" + std::to_string(i), "sha256:a");
        now += 1ms;
    }
    EXPECT_EQ(id_of("image:0"), "sha256:a");
    now += 600ms;
    const auto due = known.due(now);
    ASSERT_EQ(due.size(), 16u);
    EXPECT_EQ(due.front(), "image:0");
    EXPECT_EQ(due[1], "image:19");
}

}    // namespace
}    // namespace caisson
