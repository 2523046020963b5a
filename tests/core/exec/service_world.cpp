#include "tests/core/exec/service_world.hpp"

#include <boost/json/parse.hpp>

namespace caisson {

namespace {

using namespace std::chrono_literals;

std::string text_of(const log_event& event, std::size_t skip)
{
    const auto stream = std::to_string(static_cast<int>(event.stream));
    switch (event.kind) {
    case event_kind::output: return stream + ":" + std::string(event.data.view().substr(skip));
    case event_kind::truncated: return "<" + stream + ":" + std::to_string(event.missing_bytes) + " missing>";
    case event_kind::state: return "[" + std::string(boost::json::parse(event.body).at("status").as_string()) + "]";
    case event_kind::usage: return "[usage]";
    case event_kind::exit: return "[exit]";
    }
    return "?";
}

/// Chunks that touch are shown as one.
class event_text {
public:
    void add(const log_event& event, std::size_t skip)
    {
        auto more = text_of(event, skip);
        const auto stream = event.kind == event_kind::output ? static_cast<int>(event.stream) : 0;
        if (stream != 0 && stream == last_stream_)
            more.erase(0, 2);
        last_stream_ = stream;
        text_ += more;
    }
    const std::string& text() const { return text_; }

private:
    std::string text_;
    int last_stream_ = 0;
};

execution_services services_of(
    service_world& world, asio::io_context& context, timers& time, id_factory& ids, const service_world::options& chosen)
{
    execution_services made{context.get_executor(), time, world.log, ids, {world.executions, world.events, world.sandboxes}};
    made.sources.payload_filter = "a filter";
    made.rules.logs = chosen.logs;
    made.rules.bounds = chosen.bounds;
    made.rules.idempotency = chosen.keys;
    made.sources.runtimes.emplace("fake", &world.runtime);
    made.sources.runtimes.emplace("spare", &world.spare);
    made.sources.images = &world.images;
    made.sources.fallback = chosen.fallback;
    made.sources.pool = chosen.pool;
    made.rules.retention = chosen.retention;
    made.sources.rest_of_filter = "the rest";
    made.sweeps.interval = chosen.sweep_interval;
    made.rules.bounds.max_running = chosen.max_running;
    made.rules.bounds.max_queued = chosen.max_queued;
    made.rules.bounds.max_waiting_bytes = chosen.max_waiting_bytes;
    made.jitter = [&world] { return world.jitter; };
    made.rules.records = {chosen.slow_record, chosen.disk_rests_after};
    made.webhook_due = [&world] { ++world.webhooks_due; };
    made.skills.trees = &world.trees;
    made.skills.schemas = &world.schemas;
    made.compiled = &world.compiled;
    made.stores.contents = &world.contents;
    made.stores.artifacts = &world.executions.artifacts();
    return made;
}

execution_services with_epoch(execution_services made, std::uint64_t epoch)
{
    made.sources.link = {"test", epoch};
    return made;
}

}    // namespace

void message_logger::write(log_level level, std::string_view message, std::initializer_list<log_field>) noexcept
{
    if (level == log_level::error)
        errors.emplace_back(message);
}

service_world::server::server(service_world& world, std::int64_t now_ms, steady_time steady)
    : time(context.get_executor(), now_ms, steady)
    , service(with_epoch(services_of(world, context, time, world.ids_, world.options_), ++world.epoch_))
{
}

service_world::service_world(options chosen) : options_(std::move(chosen))
{
    tenant = ids_.make<tenant_id>();
    stranger = ids_.make<tenant_id>();
    runtime.now = [this] { return server_ ? time().steady_now() : steady_; };
    static_cast<void>(start_server());
}

result<void> service_world::start_server(milliseconds later)
{
    now_ms_ += later.count();
    steady_ += later;
    server_ = std::make_unique<server>(*this, now_ms_, steady_);
    const auto started = begin(service().start());
    EXPECT_TRUE(advance_until([&] { return started->done(); })) << "start() does not end";
    turn();
    if (started->failure)
        std::rethrow_exception(started->failure);
    return *started->value;
}

void service_world::hand_over(milliseconds patience)
{
    const auto over = begin(service().hand_over(time().steady_now() + patience));
    EXPECT_TRUE(advance_until([&] { return over->done(); })) << "hand_over() does not end";
    EXPECT_EQ(server_->context.poll(), 0u) << "something runs on after hand_over()";
    EXPECT_TRUE(server_->context.stopped()) << "something is waited for after hand_over()";
    kill_server();
}

void service_world::kill_server()
{
    if (server_) {
        now_ms_ = time().now_ms();
        steady_ = time().steady_now();
    }
    server_.reset();
}

void service_world::restart(milliseconds later)
{
    hand_over();
    const auto started = start_server(later);
    EXPECT_TRUE(started.has_value()) << "start() failed";
}

void service_world::turn()
{
    server_->context.restart();
    while (server_->context.poll() > 0)
        server_->context.restart();
}

void service_world::advance(milliseconds by, milliseconds step)
{
    for (; by > 0ms; by -= step) {
        time().advance(std::min(by, step));
        turn();
    }
}

execution_spec service_world::program()
{
    execution_spec spec;
    spec.argv = {"prog"};
    spec.runtime = "fake";
    spec.limits.cpu_ms = 15'000;
    spec.limits.file_bytes = spec.limits.disk_bytes;
    return spec;
}

result<execution_row> service_world::try_submit(execution_spec spec) { return get(service().submit(tenant, std::move(spec))); }

execution_id service_world::submit(execution_spec spec) { return try_submit(std::move(spec)).value().id; }

execution_id service_world::run(execution_spec spec)
{
    auto id = submit(std::move(spec));
    EXPECT_EQ(to_string(find(id)->status), "running") << row(id).error;
    return id;
}

const execution_row& service_world::ended(const execution_id& id)
{
    EXPECT_TRUE(advance_until([&] { return has_ended(id); })) << "the execution does not end";
    turn();
    return row(id);
}

std::string service_world::stored(const execution_id& id) const
{
    event_text text;
    for (const auto& each : events.events(id))
        text.add(*each, 0);
    return text.text();
}

std::unique_ptr<log_reader> service_world::view(const execution_id& id, log_position after)
{
    auto opened = get(service().open_log(tenant, id, after));
    return std::move(opened.value());
}

std::string service_world::read_now(log_reader& reader)
{
    event_text text;
    for (;;) {
        const auto events_now = get(reader.next(1 << 20, false));
        if (events_now.value().empty())
            return text.text();
        for (const auto& each : *events_now)
            text.add(*each.event, each.skip);
    }
}

std::string service_world::text_of(const result<std::vector<viewed_event>>& events_now)
{
    event_text text;
    for (const auto& each : events_now.value())
        text.add(*each.event, each.skip);
    return text.text();
}

}    // namespace caisson
