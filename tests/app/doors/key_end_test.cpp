// Requests that wait, and whose key ends meanwhile.

#include "core/async/task_group.hpp"
#include "core/images/image_service.hpp"
#include "tests/app/doors/api_test.hpp"
#include "tests/support/fake_images.hpp"

#include <gmock/gmock.h>

namespace caisson::http {
namespace {

using caisson::testing::fake_exchange;
using caisson::testing::run_task;
using ::testing::HasSubstr;

/// Executions wait, and pulls do.
class KeyEnd : public caisson::testing::ApiTest {
protected:
    static api_services with(api_services made, image_service& images)
    {
        made.images = &images;
        return made;
    }
    void settle()
    {
        io_.restart();
        io_.poll();
    }

    /// A request of a key that is revoked while it waits.
    net::response answer_when_revoked(const std::string& path, std::string_view body)
    {
        const auto made = run_task(io_, auth_.create_key("mine", {scope::run}, std::nullopt)).value();
        const auto one = request("POST", path, {made.row.tenant, std::string(made.text.reveal())});
        one->asked.body = body;
        one->asked.fields.set("Content-Type", "application/json");
        one->stays = [this] { return time_.wait_for(std::chrono::hours(1'000)); };
        group_.spawn("keys", key_watch_.run());
        group_.spawn("request", api_of_these_.handle(*one));
        settle();
        EXPECT_FALSE(one->answer) << "it waits";
        run_task(io_, auth_.revoke_key(made.row.id)).value();
        time_.advance(key_watch::look_every);
        settle();
        auto said = one->answer ? *one->answer : net::response();
        run_task(io_, group_.stop());
        return said;
    }

    caisson::testing::fake_image_engine engine_;
    caisson::testing::fake_allowed_images rows_;
    image_service images_{io_.get_executor(), time_, log_, rows_, &engine_, {.allowed = {"debian:12"}}};
    execution_service waiting_{waiting({io_.get_executor(), time_, log_, ids_, {executions_, events_, sandboxes_}})};
    api api_of_these_{with(services(waiting_), images_), rest_doors()};
    task_group group_{io_.get_executor(), log_};
};

TEST_F(KeyEnd, ARunSaysWhatGoesOn)
{
    const auto said = answer_when_revoked("/v1/executions", R"({"command":["true"]})");
    EXPECT_EQ(said.status, 401);
    EXPECT_THAT(std::string(said.content()), HasSubstr("the API key was revoked or has expired"));
    EXPECT_TRUE(said.fields.find("WWW-Authenticate"));
    const auto all = run_task(io_, executions_.list(mine_.tenant, {})).value();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(said.fields.find("Location"), "/v1/executions/" + all[0].id.str());
    EXPECT_EQ(all[0].status, execution_status::queued);
}

TEST_F(KeyEnd, WhatIsReadAndSentOverAWhile)
{
    const auto made = run_task(io_, auth_.create_key("mine", {scope::run}, std::nullopt)).value();
    fake_exchange exchange;
    http::call one(exchange, {});
    one.who.key = made.row.id;
    one.end_with_key(key_watch_);
    group_.spawn("keys", key_watch_.run());
    settle();
    const auto out = run_task(io_, one.begin_stream({}));
    EXPECT_EQ(run_task(io_, one.read_body())->view(), "piece");
    EXPECT_TRUE(run_task(io_, out->write("sent")));
    run_task(io_, auth_.revoke_key(made.row.id)).value();
    time_.advance(key_watch::look_every);
    settle();
    EXPECT_EQ(run_task(io_, one.read_body()).error().code, errc::unauthorized);
    EXPECT_FALSE(run_task(io_, out->write("not sent")));
    EXPECT_EQ(exchange.sent.text, "sent");
    EXPECT_FALSE(exchange.sent.finished) << "the client sees that it is cut";
    run_task(io_, group_.stop());
}

TEST_F(KeyEnd, OfASignedAddressIsNone)
{
    fake_exchange exchange;
    http::call one(exchange, {});
    group_.spawn("keys", key_watch_.run());
    const auto out = run_task(io_, one.begin_stream({}));
    time_.advance(key_watch::look_every);
    settle();
    EXPECT_TRUE(run_task(io_, out->write("sent")));
    run_task(io_, group_.stop());
}

TEST_F(KeyEnd, ATicketOpensStreamsAndFilesOnly)
{
    for (const auto* path : {"/v1/tickets", "/v1/executions"}) {
        const auto one = request("POST", path, mine_);
        one->asked.fields.erase("Authorization");
        one->asked.query = {{"ticket", "tkt_x"}};
        run_task(io_, api_->handle(*one));
        EXPECT_EQ(one->answer->status, 401) << path;
        EXPECT_THAT(std::string(one->answer->content()), HasSubstr("a ticket opens streams and files only")) << path;
    }
}

TEST_F(KeyEnd, APull)
{
    engine_.registry = {"debian:12"};
    engine_.pulling.cork();
    const auto said = answer_when_revoked("/v1/images/pull", R"({"image":"debian:12"})");
    EXPECT_EQ(said.status, 401);
    EXPECT_THAT(std::string(said.content()), HasSubstr("the API key was revoked or has expired"));
    engine_.pulling.uncork();
    settle();
    EXPECT_TRUE(engine_.images.contains("debian:12")) << "others may wait for it: it goes on";
}

}    // namespace
}    // namespace caisson::http
