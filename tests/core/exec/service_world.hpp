#pragma once

#include "core/exec/execution_service.hpp"
#include "tests/support/fake_compiled.hpp"
#include "tests/support/fake_images.hpp"
#include "tests/support/fake_runtime.hpp"
#include "tests/support/fake_schemas.hpp"
#include "tests/support/fake_stores.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/fake_trees.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace caisson {

/// Keeps the messages.
class message_logger : public logger {
public:
    void write(log_level level, std::string_view message, std::initializer_list<log_field> fields) noexcept override;
    std::vector<std::string> errors;
};

/// What a coroutine gave, once it has.
template <class T>
struct pending {
    std::optional<T> value;
    std::exception_ptr failure;
    bool done() const { return value || failure; }
};

/// The execution service over stores and a runtime that outlive it, so that servers can follow each other. Time is fake. The
/// destructor takes the server away as it stands, with all that is suspended in it.
class service_world {
public:
    using milliseconds = std::chrono::milliseconds;
    struct options {
        std::size_t max_running = 4;
        std::size_t max_queued = 100;
        std::uint64_t max_waiting_bytes = 512 << 20;
        log_options logs = {};
        admission_bounds bounds = {};    // the three above win
        idempotency_options keys = {};
        retention_bounds retention = {};
        std::vector<std::string> fallback = {};
        std::optional<pool_bounds> pool = {};
        std::optional<milliseconds> sweep_interval = {};    // nothing: a sweep at the start only
        milliseconds slow_record{0};                        // records are stored without time
        milliseconds disk_rests_after{0};
    };

    service_world() : service_world(options()) { }
    explicit service_world(options chosen);
    ~service_world() { kill_server(); }

    // Servers.
    /// Starts one; `later` is what passed since the one before.
    result<void> start_server(milliseconds later = milliseconds(0));
    /// As SIGTERM: leaves what runs to the next one.
    void hand_over(milliseconds patience = milliseconds(10'000));
    /// As SIGKILL: nothing of it runs any more.
    void kill_server();
    /// What the next server's queue may hold.
    void lower_queue(std::size_t max_queued) { options_.max_queued = max_queued; }
    void restart(milliseconds later = milliseconds(0));
    execution_service& service() { return server_->service; }
    testing::fake_timers& time() { return server_->time; }

    // Time and turns.
    /// Runs what is ready.
    void turn();
    /// In steps, running what is ready after each.
    void advance(milliseconds by, milliseconds step = milliseconds(10));
    /// False if it does not come true within a fake minute.
    template <class F>
    bool advance_until(F done);
    template <class T>
    std::shared_ptr<pending<T>> begin(task<T> work);
    /// Throws std::logic_error if it needs time.
    std::shared_ptr<pending<std::monostate>> begin(task<> work) { return begin(with_value(std::move(work))); }
    template <class T>
    T get(task<T> work);

    /// What was said so far is stored, so that the logs of executions that run are not stored whole with their ends.
    void begin_log() { advance(milliseconds(210)); }

    // Executions.
    static execution_spec program();
    /// Throws if it is refused.
    execution_id submit(execution_spec spec = program());
    result<execution_row> try_submit(execution_spec spec = program());
    /// submit(), and the program runs.
    execution_id run(execution_spec spec = program());
    /// The record.
    const execution_row& row(const execution_id& id) const { return executions.row(id); }
    bool has_ended(const execution_id& id) const { return is_final(row(id).status); }
    /// Advances until the record is final and its sandbox is gone.
    const execution_row& ended(const execution_id& id);
    result<execution_row> find(const execution_id& id) { return get(service().find(tenant, id)); }
    execution_payload payload(const execution_id& id) { return get(service().payload(tenant, id, 1 << 20)).value(); }
    result<execution_row> cancel(const execution_id& id) { return get(service().cancel(tenant, id)); }
    testing::fake_agent& agent(std::size_t number = 0) { return runtime.agent(number); }
    testing::fake_box& box(std::size_t number = 0) { return runtime.box(number); }
    std::size_t running() { return service().load().running; }
    std::size_t waiting() { return service().load().waiting; }

    // Logs as one text: "[queued][running]1:out2:err<1:5 missing>[usage][exit]".
    std::string stored(const execution_id& id) const;
    std::unique_ptr<log_reader> view(const execution_id& id, log_position after = {});
    std::string read_now(log_reader& reader);
    static std::string text_of(const result<std::vector<viewed_event>>& events);

    testing::fake_sandbox_store sandboxes;
    testing::fake_event_store events;
    testing::fake_execution_store executions{nullptr, &sandboxes, &events};
    testing::fake_content_store contents;
    testing::fake_runtime runtime;
    testing::fake_runtime spare{"spare"};
    testing::fake_image_supply images;
    testing::fake_skill_trees trees;
    testing::fake_schema_checker schemas;
    testing::fake_compile_cache compiled;
    message_logger log;
    tenant_id tenant;
    tenant_id stranger;
    double jitter = 1;    // of delays between attempts
    int webhooks_due = 0;

private:
    struct server {
        server(service_world& world, std::int64_t now_ms, steady_time steady);
        asio::io_context context;
        testing::fake_timers time;
        execution_service service;
    };

    static task<std::monostate> with_value(task<> work)
    {
        co_await std::move(work);
        co_return std::monostate();
    }

    options options_;
    system_clock clock_;
    id_factory ids_{clock_};
    std::int64_t now_ms_ = 1'700'000'000'000;
    steady_time steady_{std::chrono::hours(1)};    // of the host, which the servers share
    std::uint64_t epoch_ = 0;
    std::unique_ptr<server> server_;
};

template <class F>
bool service_world::advance_until(F done)
{
    turn();
    for (int i = 0; i < 6'000 && !done(); ++i)
        advance(milliseconds(10));
    return done();
}

template <class T>
std::shared_ptr<pending<T>> service_world::begin(task<T> work)
{
    auto state = std::make_shared<pending<T>>();
    auto keep = [](task<T> inner, std::shared_ptr<pending<T>> into) -> task<> { into->value.emplace(co_await std::move(inner)); };
    asio::co_spawn(server_->context, keep(std::move(work), state), [state](std::exception_ptr failure) { state->failure = failure; });
    turn();
    return state;
}

template <class T>
T service_world::get(task<T> work)
{
    auto state = begin(std::move(work));
    if (state->failure)
        std::rethrow_exception(state->failure);
    if (!state->value)
        throw std::logic_error("the call does not complete without time");
    return std::move(*state->value);
}

}    // namespace caisson
