// GET /v1/threads/{thread}/checkpoints/latest: it is read once, and every change of the thread is seen at the next request.

#include "adapters/crypto/sha256_hasher.hpp"
#include "core/threads/thread_service.hpp"
#include "storage/content/state_packer.hpp"
#include "storage/sqlite/schemas.hpp"
#include "storage/stores/thread_store.hpp"
#include "tests/app/doors/api_test.hpp"
#include "tests/storage/temp_dir.hpp"

#include <boost/json/serialize.hpp>

namespace caisson::http {
namespace {

using caisson::testing::run_task;

/// Threads in a database, whose reads are counted; they and saves can be held once they are done.
class slow_thread_store : public sqlite_thread_store {
public:
    slow_thread_store(sqlite::database& db, io_executor executor) : sqlite_thread_store(db), let_go_(executor) { }

    task<result<loaded_checkpoint>> find(tenant_id tenant, thread_name thread, std::optional<checkpoint_id> id, bool with_state) override
    {
        ++reads_;
        auto found = co_await sqlite_thread_store::find(std::move(tenant), std::move(thread), std::move(id), with_state);
        co_await hold(corked_);
        co_return found;
    }
    task<result<saved_checkpoint>> save(checkpoint_draft draft, retention_policy defaults, thread_bounds_of_tenant bounds) override
    {
        auto saved = co_await sqlite_thread_store::save(std::move(draft), defaults, bounds);
        co_await hold(saves_corked_);
        co_return saved;
    }
    task<result<checkpoint_page>> list(tenant_id tenant, thread_name thread, checkpoint_filter filter) override
    {
        lists_.push_back(tenant.str() + (filter.metadata.empty() ? "" : " by metadata"));
        co_await hold(lists_corked_);
        co_return co_await sqlite_thread_store::list(std::move(tenant), std::move(thread), std::move(filter));
    }
    void cork_saves() { saves_corked_ = true; }
    void cork_lists() { lists_corked_ = true; }
    const std::vector<std::string>& lists() const { return lists_; }    // in the order in which they began
    void cork() { corked_ = true; }
    void uncork()
    {
        corked_ = saves_corked_ = lists_corked_ = false;
        let_go_.notify_all();
    }
    std::size_t waiting() const { return waiting_; }
    std::size_t reads() const { return reads_; }

private:
    task<> hold(const bool& corked)
    {
        waiting_ += corked ? 1 : 0;
        while (corked)
            co_await let_go_.wait_past(let_go_.version());
    }

    notifier let_go_;
    bool corked_ = false;
    bool saves_corked_ = false;
    bool lists_corked_ = false;
    std::vector<std::string> lists_;
    std::size_t waiting_ = 0;
    std::size_t reads_ = 0;
};

class LatestCheckpoint : public caisson::testing::ApiTest {
protected:
    LatestCheckpoint() { api_ = new_api(); }
    ~LatestCheckpoint() override { api_.reset(); }    // before what it works on

    std::unique_ptr<api> new_api()
    {
        auto with = services();
        with.threads = &threads_;
        return std::make_unique<api>(std::move(with), rest_doors());
    }
    net::response send(std::string method, const std::string& path, std::string body, const key& who)
    {
        const auto one = request(std::move(method), path, who);
        one->asked.body = std::move(body);
        run_task(io_, api_->handle(*one));
        return said(*one);
    }
    void save(const std::string& thread, const std::string& id)
    {
        const auto body = R"({"id":")" + id + R"(","state":{"at":")" + id + "\"}}";
        const auto answer = send("POST", "/v1/threads/" + thread + "/checkpoints", body, mine_);
        ASSERT_EQ(answer.status, 201) << answer.body;
    }
    std::shared_ptr<caisson::testing::fake_exchange> asking(const std::string& include, const key& who)
    {
        auto one = request("GET", "/v1/threads/t/checkpoints/latest", who);
        if (!include.empty())
            one->asked.query = {{"include", include}};
        return one;
    }
    net::response latest(const std::string& include = "") { return latest_of(mine_, include); }
    net::response latest_of(const key& who, const std::string& include = "")
    {
        const auto one = asking(include, who);
        run_task(io_, api_->handle(*one));
        return said(*one);
    }
    /// What a server says that has kept nothing.
    net::response really(const std::string& include = "")
    {
        auto kept = std::exchange(api_, new_api());
        auto answer = latest(include);
        api_ = std::move(kept);
        return answer;
    }
    std::string id_of(const net::response& answer)
    {
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.status == 200 ? std::string(boost::json::parse(answer.body).as_object().at("id").as_string()) : "";
    }

    caisson::testing::temp_dir dir_;
    sqlite::database db_{dir_ / "records.db", sqlite::records_schema};
    slow_thread_store store_{db_, io_.get_executor()};
    zstd_state_packer packer_;
    worker_pool work_{"work", 1};
    thread_service threads_{{io_.get_executor(), time_, log_, ids_, store_, packer_, work_, &make_sha256_hasher}};
};

TEST_F(LatestCheckpoint, IsReadOnce)
{
    save("t", "a");
    const auto first = latest();
    EXPECT_EQ(id_of(first), "a");
    const auto before = store_.reads();
    const auto second = latest();
    EXPECT_EQ(store_.reads(), before);
    EXPECT_EQ(second.body, first.body);
    EXPECT_EQ(second.fields.find("Content-Type"), first.fields.find("Content-Type"));
    EXPECT_EQ(second.fields.size(), first.fields.size());
}

TEST_F(LatestCheckpoint, WithAndWithoutStateAreApart)
{
    save("t", "a");
    for (int i = 0; i < 2; ++i) {
        EXPECT_NE(latest().body.find("\"state\":{"), std::string::npos);
        EXPECT_EQ(latest("none").body.find("\"state\":{"), std::string::npos);
        EXPECT_EQ(latest("state").body, latest().body);
    }
}

TEST_F(LatestCheckpoint, WhatItNamesIsReadEachTime)
{
    save("t", "a");
    EXPECT_EQ(latest().status, 200);
    const auto before = store_.reads();
    EXPECT_EQ(latest("state,execution").status, 200);
    EXPECT_EQ(latest("state,artifacts").status, 200);
    EXPECT_EQ(store_.reads(), before + 2);
}

TEST_F(LatestCheckpoint, TenantsHaveTheirOwn)
{
    save("t", "a");
    EXPECT_EQ(id_of(latest()), "a");
    EXPECT_EQ(latest_of(other_).status, 404);
    ASSERT_EQ(send("POST", "/v1/threads/t/checkpoints", R"({"id":"theirs","state":{}})", other_).status, 201);
    EXPECT_EQ(id_of(latest_of(other_)), "theirs");
    EXPECT_EQ(id_of(latest()), "a");
}

TEST_F(LatestCheckpoint, AnotherThreadsChangeLeavesItKept)
{
    save("t", "a");
    EXPECT_EQ(id_of(latest()), "a");
    save("u", "b");
    const auto before = store_.reads();
    EXPECT_EQ(id_of(latest()), "a");
    EXPECT_EQ(store_.reads(), before);
}

TEST_F(LatestCheckpoint, WhatWasReadBeforeASaveIsNotKept)
{
    save("t", "a");
    store_.cork();
    const auto reading = asking("", mine_);
    bool done = false;
    asio::co_spawn(io_, api_->handle(*reading), [&done](const std::exception_ptr&) { done = true; });
    io_.restart();
    while (store_.waiting() == 0)
        ASSERT_GT(io_.run_one(), 0u);
    save("t", "b");
    store_.uncork();
    io_.restart();
    while (!done)
        ASSERT_GT(io_.run_one(), 0u);
    EXPECT_EQ(id_of(said(*reading)), "a");
    EXPECT_EQ(id_of(latest()), "b");
}

TEST_F(LatestCheckpoint, AChangeLastsUntilItIsStored)
{
    save("t", "a");
    EXPECT_EQ(id_of(latest()), "a");
    store_.cork_saves();
    const auto saving = request("POST", "/v1/threads/t/checkpoints", mine_);
    saving->asked.body = R"({"id":"b","state":{}})";
    bool done = false;
    asio::co_spawn(io_, api_->handle(*saving), [&done](const std::exception_ptr&) { done = true; });
    io_.restart();
    while (store_.waiting() == 0)
        ASSERT_GT(io_.run_one(), 0u);
    EXPECT_EQ(threads_.changes().now(mine_.tenant.str(), "t"), std::nullopt);
    EXPECT_EQ(id_of(latest()), "b");    // what is stored may be seen before its writer is told, and then nothing older
    EXPECT_EQ(id_of(latest()), "b");
    store_.uncork();
    io_.restart();
    while (!done)
        ASSERT_GT(io_.run_one(), 0u);
    EXPECT_EQ(saving->answer->status, 201);
    EXPECT_TRUE(threads_.changes().now(mine_.tenant.str(), "t").has_value());
}

TEST_F(LatestCheckpoint, WhatIsReadWhileItIsChangedIsNotKept)
{
    save("t", "a");
    {
        const auto change = threads_.changing(mine_.tenant, thread_name("t"));
        EXPECT_EQ(id_of(latest()), "a");
    }
    const auto before = store_.reads();
    EXPECT_EQ(id_of(latest()), "a");
    EXPECT_GT(store_.reads(), before);
}

/// They may hold a reader of the database for long.
TEST_F(LatestCheckpoint, ListsByMetadataTakeTurns)
{
    save("t", "a");
    ASSERT_EQ(send("POST", "/v1/threads/t/checkpoints", R"({"state":{}})", other_).status, 201);
    store_.cork_lists();
    std::vector<std::shared_ptr<caisson::testing::fake_exchange>> asked;
    std::size_t done = 0;
    const auto ask = [&](const key& who, const char* tag) {
        asked.push_back(request("GET", "/v1/threads/t/checkpoints", who));
        if (tag != nullptr)
            asked.back()->asked.query = {{"tag", tag}};
        asio::co_spawn(io_, api_->handle(*asked.back()), [&done](const std::exception_ptr&) { ++done; });
        io_.restart();
        while (io_.poll() > 0) { }
    };
    ask(mine_, "x");
    ask(mine_, "y");
    ask(other_, "x");
    ask(mine_, nullptr);
    const auto mine = mine_.tenant.str();
    EXPECT_EQ(store_.lists(), (std::vector<std::string>{mine + " by metadata", mine})) << "others do not wait for them";
    store_.uncork();
    io_.restart();
    while (done < asked.size())
        ASSERT_GT(io_.run_one(), 0u);
    EXPECT_EQ(store_.lists(),
        (std::vector<std::string>{mine + " by metadata", mine, other_.tenant.str() + " by metadata", mine + " by metadata"}));
    for (const auto& each : asked)
        EXPECT_EQ(said(*each).status, 200);
}

/// One change of thread t, whose checkpoints are a, b and c; its latest is known.
struct change_case {
    std::string_view name;
    std::string_view method;
    std::string_view path;    // behind /v1/threads/t
    std::string_view body = "";
};

class LatestCheckpointChange : public LatestCheckpoint, public ::testing::WithParamInterface<change_case> { };

TEST_P(LatestCheckpointChange, IsSeenAtOnce)
{
    save("t", "a");
    save("t", "b");
    save("t", "c");
    for (const auto* include : {"", "none"})
        ASSERT_EQ(id_of(latest(include)), "c");
    const auto before = latest();
    const auto& [name, method, path, body] = GetParam();
    const auto done = send(std::string(method), "/v1/threads/t" + std::string(path), std::string(body), mine_);
    ASSERT_LT(done.status, 300) << done.body;
    ASSERT_NE(really().body, before.body) << "this changes nothing";
    for (const auto* include : {"", "none"}) {
        const auto now = latest(include);
        EXPECT_EQ(now.status, really(include).status);
        if (now.status == 200) {
            EXPECT_EQ(now.body, really(include).body);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, LatestCheckpointChange,
    ::testing::Values(change_case{"save", "POST", "/checkpoints", R"({"id":"d","state":{}})"},
        change_case{"erase_latest", "DELETE", "/checkpoints/c"}, change_case{"erase_parent", "DELETE", "/checkpoints/b"},
        change_case{"pin", "PUT", "/checkpoints/c/pin"}, change_case{"policy", "PUT", "", R"({"max_checkpoints":1})"},
        change_case{"erase_thread", "DELETE", ""}, change_case{"append", "POST", "/rollback", R"({"checkpoint_id":"a","mode":"append"})"},
        change_case{"truncate", "POST", "/rollback", R"({"checkpoint_id":"b","mode":"truncate"})"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(LatestCheckpoint, ItsParentRunsOut)
{
    ASSERT_EQ(send("PUT", "/v1/threads/t", R"({"ttl_ms":1000})", mine_).status, 200);
    save("t", "a");
    time_.advance(std::chrono::milliseconds(900));
    save("t", "b");
    EXPECT_NE(latest().body.find(R"("parent_id":"a")"), std::string::npos);
    time_.advance(std::chrono::milliseconds(900));
    ASSERT_EQ(run_task(io_, threads_.clean()).value(), 1u);
    EXPECT_EQ(latest().body.find(R"("parent_id":"a")"), std::string::npos);
}

TEST_F(LatestCheckpoint, AThreadThatComesAgainIsTheNewOne)
{
    save("t", "a");
    EXPECT_EQ(id_of(latest()), "a");
    ASSERT_EQ(send("DELETE", "/v1/threads/t", "", mine_).status, 204);
    EXPECT_EQ(latest().status, 404);
    save("t", "b");
    EXPECT_EQ(id_of(latest()), "b");
}

}    // namespace
}    // namespace caisson::http
