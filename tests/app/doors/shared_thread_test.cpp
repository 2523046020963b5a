// Tenants share the I/O thread: whose round is used up waits, and the others are served meanwhile.

#include "core/async/task_group.hpp"
#include "core/fairness/fair_workers.hpp"
#include "tests/app/doors/api_test.hpp"

namespace caisson::http {
namespace {

using caisson::testing::fake_exchange;
using caisson::testing::run_task;

struct asked_for {
    std::string what;
    std::string path_behind_id;
    io_turns::kind kind;
    std::string accept;
};

class SharedThread : public caisson::testing::ApiTest, public ::testing::WithParamInterface<asked_for> {
protected:
    std::string add_ended(const key& whose, char number)
    {
        execution_row row;
        row.id = execution_id::from_trusted("exe_0000000000000000000000000" + std::string(1, number));
        row.tenant = whose.tenant;
        row.status = execution_status::success;
        row.verdict = verdict::exited;
        const auto id = row.id;
        auto said = std::make_shared<log_event>();
        said->end.stdout_end = 3;
        said->data = shared_bytes(std::string("out"));
        run_task(io_, executions_.insert(std::move(row), {})).value();
        run_task(io_, events_.append(id, {said}, {})).value();
        return "/v1/executions/" + id.str();
    }
    std::shared_ptr<fake_exchange> ask(const std::string& path, const key& who)
    {
        auto one = request("GET", path + GetParam().path_behind_id, who);
        one->asked.fields.set("Accept", GetParam().accept);
        one->stays = [this] { return time_.wait_for(std::chrono::hours(1'000)); };
        group_.spawn("request", shared_.handle(*one));
        return one;
    }
    static bool is_answered(const fake_exchange& one) { return !one.sent.text.empty() || (one.answer && !one.answer->content().empty()); }

    static api_services with(api_services made, fair_workers& texts)
    {
        made.texts = &texts;
        return made;
    }

    worker_pool pool_{"texts", 1};
    io_turns turns_{io_.get_executor()};
    fair_workers texts_{io_.get_executor(), pool_, 1, &turns_};
    api shared_{with(services(), texts_), rest_doors()};
    task_group group_{io_.get_executor(), log_};
};

TEST_P(SharedThread, AnothersAnswerComesFirst)
{
    const auto my_path = add_ended(mine_, '1');
    const auto other_path = add_ended(other_, '2');
    ASSERT_TRUE(turns_.try_begin(mine_.tenant, GetParam().kind, 1'000 * io_turns::most_bytes));
    io_.restart();
    const auto mine = ask(my_path, mine_);
    const auto other = ask(other_path, other_);
    while (!is_answered(*other) && io_.run_one() > 0) { }
    EXPECT_TRUE(is_answered(*other));
    EXPECT_FALSE(is_answered(*mine));
    while (!is_answered(*mine) && io_.run_one() > 0) { }
    EXPECT_TRUE(is_answered(*mine));
    run_task(io_, group_.stop());
}

INSTANTIATE_TEST_SUITE_P(Routes, SharedThread,
    ::testing::Values(asked_for{"record", "", io_turns::kind::request, "application/json"},
        asked_for{"events", "/events", io_turns::kind::events, "application/x-ndjson"},
        asked_for{"sse", "/events", io_turns::kind::events, "text/event-stream"},
        asked_for{"logs", "/logs", io_turns::kind::events, "text/plain"}),
    [](const auto& each) { return each.param.what; });

}    // namespace
}    // namespace caisson::http
