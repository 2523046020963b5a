#include "tests/app/cli/scripted_server.hpp"

#include <boost/json/serialize.hpp>

namespace caisson::cli {
namespace {

class PostOnce : public ScriptedTest {
protected:
    result<boost::json::value> post() { return run(api_->post_once("/v1/executions", boost::json::object{{"a", 1}}, "k")); }
};

TEST_F(PostOnce, AnAnswerIsTaken)
{
    server_.script = {scripted_server::answer(202, R"({"x":1})")};
    EXPECT_EQ(boost::json::serialize(post().value()), R"({"x":1})");
    EXPECT_EQ(server_.keys, std::vector<std::string>{"\"k\""});
}

TEST_F(PostOnce, ARefusalIsNotSentAgain)
{
    server_.script = {scripted_server::answer(429, R"({"error":"queue_full","message":"full"})")};
    EXPECT_EQ(post().error().code, errc::queue_full);
    EXPECT_EQ(server_.targets.size(), 1u);
}

TEST_F(PostOnce, LostAnswersAreAskedForAgainUnderTheSameKey)
{
    server_.script = {scripted_server::hang_up(), scripted_server::hang_up(), scripted_server::answer(200, "{}")};
    EXPECT_TRUE(post().has_value());
    EXPECT_EQ(server_.keys, (std::vector<std::string>{"\"k\"", "\"k\"", "\"k\""}));
    EXPECT_EQ(server_.bodies[0], server_.bodies[2]);
}

TEST_F(PostOnce, IsGivenUpAfterAMinute)
{
    for (int i = 0; i < 200; ++i)
        server_.script.push_back(scripted_server::hang_up());
    EXPECT_EQ(post().error().code, errc::runtime_unavailable);
    EXPECT_GT(server_.targets.size(), 10u);
    EXPECT_LT(server_.targets.size(), 60u);
}

}    // namespace
}    // namespace caisson::cli
