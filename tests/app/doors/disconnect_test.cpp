// Executions that go with their client: whoever finds first that it is gone, a writer or the reader, they are cancelled.

#include "app/doors/rest/executions/connect_session.hpp"
#include "tests/app/doors/api_test.hpp"

namespace caisson::http {
namespace {

using caisson::testing::fake_exchange;
using caisson::testing::run_task;

constexpr std::string_view body = R"({"command":["sleep","600"],"cancel_on_disconnect":true})";

/// Of a client that sends one frame. It takes nothing, which its reader finds once it asks again.
class deaf_socket final : public net::websocket {
public:
    /// `before_leaving` runs before the reader finds out.
    deaf_socket(std::string frame, std::function<task<>()> before_leaving)
        : frame_(std::move(frame)), before_leaving_(std::move(before_leaving))
    {
    }

    task<std::optional<net::message>> receive() override
    {
        if (auto frame = std::exchange(frame_, std::nullopt))
            co_return net::message{net::message_kind::text, std::move(*frame)};
        co_await before_leaving_();
        co_return std::nullopt;
    }
    bool send_text(std::string) override { return false; }
    bool send_binary(std::string, shared_bytes) override { return false; }
    std::size_t queued_bytes() const override { return 0; }
    task<> drained(std::size_t) override { co_return; }
    task<> close(std::uint16_t, std::string) override { co_return; }
    bool open() const override { return false; }
    std::uint16_t peer_close_code() const override { return net::close_code::abnormal; }
    const std::string& peer_close_reason() const override { return reason_; }

private:
    std::optional<std::string> frame_;
    std::function<task<>()> before_leaving_;
    std::string reason_;
};

/// With a service in which executions wait, so that none ends by itself.
class Disconnect : public caisson::testing::ApiTest {
protected:
    task<> stay() { co_await time_.wait_for(std::chrono::hours(1'000)); }
    task<> yield()
    {
        for (int turn = 0; turn < 8; ++turn)
            co_await asio::post(io_, use_task);
    }

    /// The status of the only execution.
    execution_status status()
    {
        time_.advance(std::chrono::seconds(1));    // a log that nobody follows is stored later
        io_.restart();
        io_.poll();
        const auto all = run_task(io_, executions_.list(mine_.tenant, {})).value();
        EXPECT_EQ(all.size(), 1u);
        return all.at(0).status;
    }
    void stream(const std::string& path, std::string_view content)
    {
        auto one = request("POST", path, mine_);
        one->asked.body = content;
        one->asked.fields.set("Accept", "text/event-stream");
        one->asked.fields.set("Content-Type", "application/json");
        one->sent.writes_taken = 0;
        one->stays = [this] { return stay(); };
        run_task(io_, waiting_api_.handle(*one));
        ASSERT_EQ(one->answer.value().status, 200) << one->answer->body;
    }

    /// That took one run frame, whose viewer has ended.
    std::shared_ptr<connect_session> served_session()
    {
        const auto who = run_task(io_, auth_.authenticate(mine_.text)).value();
        auto socket =
            std::make_shared<deaf_socket>(R"({"type":"run","ref":"a",)" + std::string(body.substr(1)), [this] { return yield(); });
        auto made = std::make_shared<connect_session>(use_, who, std::move(socket), wire::frame_format::json);
        run_task(io_, serve_connection(made));
        return made;
    }

    execution_service waiting_{waiting({io_.get_executor(), time_, log_, ids_, {executions_, events_, sandboxes_}})};
    api_services use_ = services(waiting_);
    api waiting_api_{use_, rest_doors()};
};

TEST_F(Disconnect, AStreamThatIsNotTakenCancels)
{
    stream("/v1/executions", body);
    EXPECT_EQ(status(), execution_status::cancelled);
}

TEST_F(Disconnect, AMergedStreamThatIsNotTakenCancels)
{
    stream("/v1/executions/batch", R"({"executions":[)" + std::string(body) + "]}");
    EXPECT_EQ(status(), execution_status::cancelled);
}

TEST_F(Disconnect, AConnectionWhoseViewerEndsBeforeItsReaderCancels)
{
    const auto session = served_session();
    EXPECT_EQ(status(), execution_status::queued);
    run_task(io_, end_connection(session, net::close_code::normal, ""));
    EXPECT_EQ(status(), execution_status::cancelled);
}

TEST_F(Disconnect, AServerThatStopsCancelsNothing)
{
    run_task(io_, end_connection(served_session(), net::close_code::going_away, ""));
    EXPECT_EQ(status(), execution_status::queued);
}

}    // namespace
}    // namespace caisson::http
