// GET /v1/executions/{id} of what has ended: it is read once, and everything that may still change is seen at the next request.

#include "tests/app/doors/api_test.hpp"

#include <gmock/gmock.h>

namespace caisson::http {
namespace {

using caisson::testing::run_task;
using caisson::testing::slow_webhook_store;
using ::testing::HasSubstr;
using ::testing::Not;

class GetExecution : public caisson::testing::ApiTest {
protected:
    /// One that has ended with "out" on its stdout.
    execution_row ended_row(int number = 1) const
    {
        execution_row row;
        row.id = execution_id::from_trusted("exe_0000000000000000000000000" + std::to_string(number));
        row.tenant = mine_.tenant;
        row.status = execution_status::success;
        row.verdict = verdict::exited;
        row.exit_code = 0;
        row.runtime = "fake";
        return row;
    }
    execution_id add(execution_row row, execution_spec spec = {})
    {
        const auto id = row.id;
        auto said = std::make_shared<log_event>();
        said->end.stdout_end = 3;
        said->data = shared_bytes(std::string("out"));
        run_task(io_, executions_.insert(std::move(row), std::move(spec))).value();
        run_task(io_, events_.append(id, {said}, {})).value();
        return id;
    }

    net::response get(const execution_id& id) { return call("GET", "/v1/executions/" + id.str(), mine_); }
    boost::json::object shown(const execution_id& id)
    {
        const auto answer = get(id);
        EXPECT_EQ(answer.status, 200) << answer.body;
        return boost::json::parse(answer.body).as_object();
    }
    std::size_t reads() const { return executions_.calls() + events_.calls() + webhooks_.calls(); }
};

TEST_F(GetExecution, IsReadOnce)
{
    const auto id = add(ended_row());
    const auto first = get(id);
    EXPECT_EQ(first.status, 200);
    EXPECT_THAT(first.body, HasSubstr(R"("stdout":"out")"));
    const auto before = reads();
    const auto second = get(id);
    EXPECT_EQ(reads(), before);
    EXPECT_EQ(second.body, first.body);
    EXPECT_EQ(second.fields.find("Content-Type"), first.fields.find("Content-Type"));
    EXPECT_EQ(second.fields.size(), first.fields.size());
}

TEST_F(GetExecution, WithAndWithoutOutputAreApart)
{
    const auto id = add(ended_row());
    EXPECT_TRUE(shown(id).contains("stdout"));
    auto less = request("GET", "/v1/executions/" + id.str(), mine_);
    less->asked.query = {{"include", "none"}};
    for (int i = 0; i < 2; ++i) {
        run_task(io_, api_->handle(*less));
        EXPECT_THAT(said(*less).body, Not(HasSubstr("stdout\"")));
    }
    EXPECT_TRUE(shown(id).contains("stdout"));
}

TEST_F(GetExecution, AnotherTenantFindsNothing)
{
    const auto id = add(ended_row());
    ASSERT_EQ(get(id).status, 200);
    EXPECT_EQ(call("GET", "/v1/executions/" + id.str(), other_).status, 404);
    EXPECT_EQ(get(id).status, 200);
}

TEST_F(GetExecution, AWrongQueryIsRefusedThoughTheAnswerIsKnown)
{
    const auto id = add(ended_row());
    ASSERT_EQ(get(id).status, 200);
    auto wrong = request("GET", "/v1/executions/" + id.str(), mine_);
    wrong->asked.query = {{"include", "all"}};
    run_task(io_, api_->handle(*wrong));
    EXPECT_EQ(wrong->answer->status, 400);
}

TEST_F(GetExecution, ARemovedOneIsNotFound)
{
    const auto id = add(ended_row());
    ASSERT_EQ(get(id).status, 200);
    ASSERT_EQ(call("DELETE", "/v1/executions/" + id.str(), mine_).status, 204);
    EXPECT_EQ(get(id).status, 404);
}

TEST_F(GetExecution, ARemovalThatFailedMidwayShowsWhatIsLeft)
{
    const auto id = add(ended_row());
    ASSERT_EQ(shown(id).at("stdout").as_string(), "out");
    executions_.let_pass(1);    // it is looked up
    executions_.fail_next({errc::internal, "the disk"});
    ASSERT_EQ(call("DELETE", "/v1/executions/" + id.str(), mine_).status, 500);
    EXPECT_EQ(shown(id).at("stdout").as_string(), "");
}

TEST_F(GetExecution, WhatIsReadBesideARemovalIsNotKept)
{
    const auto id = add(ended_row());
    webhooks_.cork();
    const auto reading = request("GET", "/v1/executions/" + id.str(), mine_);
    bool done = false;
    asio::co_spawn(io_, api_->handle(*reading), [&done](const std::exception_ptr&) { done = true; });
    io_.restart();
    while (webhooks_.waiting() == 0)
        ASSERT_GT(io_.run_one(), 0u);
    ASSERT_EQ(call("DELETE", "/v1/executions/" + id.str(), mine_).status, 204);
    webhooks_.uncork();
    io_.restart();
    while (!done)
        ASSERT_GT(io_.run_one(), 0u);
    EXPECT_EQ(reading->answer->status, 200);
    EXPECT_EQ(get(id).status, 404);
}

TEST_F(GetExecution, OneThatHasNotEndedIsReadEachTime)
{
    auto row = ended_row();
    row.status = execution_status::running;
    row.verdict.reset();
    const auto id = add(row);
    EXPECT_EQ(shown(id).at("status").as_string(), "running");
    row.status = execution_status::failed;
    row.exit_code = 3;
    run_task(io_, executions_.update(row)).value();
    EXPECT_EQ(shown(id).at("exit_code").as_int64(), 3);
}

TEST_F(GetExecution, ItsWebhookIsShownAsItIs)
{
    const auto id = add(ended_row());
    webhooks_.insert(id, mine_.tenant, "https://example.com/", "a secret of its own");
    EXPECT_EQ(shown(id).at("webhook").at("state").as_string(), "pending");
    webhook_status delivered{"https://example.com/", webhook_state::delivered, 1, 200, "", std::nullopt};
    run_task(io_, webhooks_.note(id, delivered)).value();
    EXPECT_EQ(shown(id).at("webhook").at("state").as_string(), "delivered");
    webhooks_.erase(id);
    EXPECT_FALSE(shown(id).contains("webhook"));
}

TEST_F(GetExecution, ItsFilesAreShownAsTheyAre)
{
    auto row = ended_row();
    row.collected = collect_summary{.files = 2, .bytes = 2};
    const auto id = add(row);
    const auto file = [&](std::string path) {
        artifact_row out;
        out.execution = id;
        out.tenant = mine_.tenant;
        out.path = std::move(path);
        return out;
    };
    artifacts_.add({file("a"), file("b")});
    const auto first = shown(id);
    EXPECT_EQ(first.at("files_list").as_array().size(), 2u);
    run_task(io_, artifacts_.erase(mine_.tenant, id, "a")).value();
    time_.advance(std::chrono::seconds(5));
    const auto second = shown(id);
    EXPECT_EQ(second.at("files_list").as_array().size(), 1u);
    EXPECT_NE(second.at("files_url"), first.at("files_url"));
    run_task(io_, artifacts_.erase(mine_.tenant, id, "b")).value();
    EXPECT_FALSE(shown(id).contains("files_url"));
}

/// What could not be read once is there the next time.
struct failure_case {
    std::string_view name;
    std::string_view member;    // that is missing then
    void (*fail)(caisson::testing::fake_execution_store&, caisson::testing::fake_event_store&, slow_webhook_store&);
};
class GetExecutionFailure : public GetExecution, public ::testing::WithParamInterface<failure_case> { };

TEST_P(GetExecutionFailure, IsNotKept)
{
    auto row = ended_row();
    row.kind = execution_kind::skill;
    row.output = shared_bytes(std::string("{}"));
    const auto id = add(row);
    if (GetParam().member == "webhook")
        webhooks_.insert(id, mine_.tenant, "https://example.com/", "a secret of its own");
    GetParam().fail(executions_, events_, webhooks_);
    EXPECT_FALSE(shown(id).contains(GetParam().member));
    EXPECT_TRUE(shown(id).contains(GetParam().member));
}

INSTANTIATE_TEST_SUITE_P(Cases, GetExecutionFailure,
    ::testing::Values(failure_case{"webhook", "webhook",
                          [](auto&, auto&, auto& webhooks) { webhooks.fail_next({errc::queue_full, "too much at once"}); }},
        failure_case{"payload", "output",
            [](auto& executions, auto&, auto&) {
                executions.let_pass(1);    // the record
                executions.fail_next({errc::queue_full, "too much at once"});
            }},
        failure_case{"log", "stdout", [](auto&, auto& events, auto&) { events.fail_next({errc::queue_full, "too much at once"}); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(GetExecution, ASkillsRunIsReadOnceToo)
{
    auto row = ended_row();
    row.kind = execution_kind::skill;
    row.skill_name = "echo";
    row.output = shared_bytes(std::string(R"({"said":1})"));
    execution_spec spec;
    spec.input = shared_bytes(std::string(R"({"say":1})"));
    const auto id = add(row, spec);
    const auto first = get(id);
    EXPECT_THAT(first.body, HasSubstr(R"("input":{"say":1},"output":{"said":1})"));
    const auto before = reads();
    EXPECT_EQ(get(id).body, first.body);
    EXPECT_EQ(reads(), before);
}

TEST_F(GetExecution, ANewApiKnowsNothing)
{
    const auto id = add(ended_row());
    ASSERT_EQ(get(id).status, 200);
    api_.reset();
    run_task(io_, service_.erase(mine_.tenant, id)).value();    // nobody is told any more
    api_ = std::make_unique<api>(services(), rest_doors());
    EXPECT_EQ(get(id).status, 404);
}

}    // namespace
}    // namespace caisson::http
