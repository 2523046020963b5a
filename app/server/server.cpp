#include "app/server/server.hpp"

#include "app/server/domain.hpp"
#include "app/server/foundation.hpp"
#include "app/server/free_memory.hpp"
#include "app/server/front.hpp"
#include "app/server/process_limits.hpp"
#include "app/server/ready_sandboxes.hpp"
#include "app/server/service_manager.hpp"
#include "app/server/tenants.hpp"
#include "app/server/webhooks.hpp"
#include "app/version.hpp"
#include "core/async/deadline.hpp"
#include "core/auth/admin_key.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/json/serialize.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr auto probe_again_every = 10s;

/// Starts and stops the parts of a server.
class application {
public:
    explicit application(const server_config& config)
        : base_(config)
        , domain_(base_, [this] { webhooks_.wake(); })
        , front_(domain_)
        , webhooks_(base_.config, *base_.store, base_.context.get_executor(), base_.time, *base_.log, background_)
        , background_(base_.context.get_executor(), *base_.log)
        , impatience_(base_.context.get_executor(), *base_.log)
    {
    }

    int run()
    {
        signals_.add(SIGTERM);
        signals_.add(SIGINT);
        std::exception_ptr failure;
        asio::co_spawn(base_.context.get_executor(), live(), [this, &failure](std::exception_ptr e) {
            failure = std::move(e);
            if (failure)
                base_.context.stop();
        });
        base_.turns.run(base_.context);
        if (failure)
            std::rethrow_exception(failure);
        return status_;
    }

private:
    /// Handles signals from the start on; a second one ends the process at once.
    task<> live()
    {
        auto starting = start_up();
        auto asked = next_signal();
        const auto first = co_await race(std::move(starting), std::move(asked));
        if (first.index() == 0 && !asked_to_stop_)
            co_await next_signal();
        tell_service_manager("STOPPING=1");
        base_.log->info("the server stops", {{"running_sandboxes", base_.config.on_shutdown == shutdown_action::keep ? "keep" : "end"}});
        co_await stop();
        co_await impatience_.stop();
    }

    task<> next_signal()
    {
        static_cast<void>(co_await signals_.async_wait(use_task));
        asked_to_stop_ = true;
        impatience_.spawn("second signal", leave_at_next_signal());
    }

    task<> leave_at_next_signal()
    {
        static_cast<void>(co_await signals_.async_wait(use_task));
        base_.log->warning("a second signal: the server ends at once, sandboxes go on");
        leave();
    }

    /// Exits without waiting: acknowledged work is durable, and the agents keep the rest for the next server.
    [[noreturn]] void leave()
    {
        if (!base_.config.ready_file.empty()) {
            std::error_code ignored;
            std::filesystem::remove(base_.config.ready_file, ignored);
        }
        std::_Exit(status_);
    }

    task<> start_up()
    {
        auto key = co_await ensure_admin_key(domain_.auth, base_.config.data_dir / "admin.key");
        if (key.has_error())
            throw std::runtime_error("the first key cannot be made: " + key.error().detail);
        const tenant_parts tenants{base_.store->keys(), base_.ids, base_.config, domain_.executions, front_.http, base_.time};
        if (const auto bounded = co_await bound_tenants(tenants); bounded.has_error())
            throw std::runtime_error("the tenants of the configuration cannot be recorded: " + bounded.error().detail);
        background_.spawn("places of tenants", keep_tenants_bounded(tenants));
        co_await domain_.skills.prepare();
        co_await domain_.compiled.prepare();
        auto started = co_await domain_.executions.start();
        if (started.has_error())
            throw std::runtime_error("what an earlier server left cannot be taken up: " + started.error().detail);
        domain_.skills.trees().settle();
        auto transported = front_.transport.prepare(raise_descriptor_limit());
        if (transported.has_error())
            throw std::runtime_error(transported.error().detail);
        auto listening = front_.http.listen(base_.config.listen_host, base_.config.listen_port);
        if (listening.has_error())
            throw std::runtime_error(listening.error().detail);
        const auto url = listening->front().url();
        if (!base_.config.ready_file.empty())
            write_ready_file(url, *key);
        base_.log->info("the server is ready",
            {{"url", url}, {"version", version_text}, {"data", base_.config.data_dir.string()}, {"instance", base_.self.id}});
        base_.turns.begin_anew();
        tell_service_manager("READY=1\nSTATUS=serves at " + url);
        background_.spawn("probes", probe());
        background_.spawn("memory", give_memory_back(&base_.time, &base_.work));
        background_.spawn("keys of open streams", domain_.keys.run());
        background_.spawn("certificate", front_.transport.watch());
        background_.spawn("webhooks", webhooks_.run());
        background_.spawn("janitor", domain_.janitor.run());
        background_.spawn("room on the disk", domain_.room.run());
        background_.spawn("threads", domain_.threads.service().run());
        if (domain_.images.has_engine()) {
            background_.spawn("changes of images", domain_.images.follow());
            background_.spawn("images in use", domain_.images.keep_known());
            background_.spawn("images", domain_.images.fetch_wanted());
        }
        background_.spawn("hangups", front_.transport.heed_hangups());
        background_.spawn("idempotency keys", domain_.executions.forget_expired_keys());
        background_.spawn("ended executions", domain_.executions.keep_within_bounds());
    }

    void write_ready_file(const std::string& url, const secret& key)
    {
        boost::json::object ready;
        ready["url"] = url;
        ready["api_key"] = key.reveal();
        write_private_file(base_.config.ready_file, boost::json::serialize(ready) + "\n");
    }

    /// Finds out, once the server is ready, what this host enforces and which versions it has. Then probes failed runtimes again.
    task<> probe()
    {
        for (auto* each : domain_.host.enabled()) {
            co_await each->probe();
            domain_.executions.prepare_ahead(usual_limits(base_.config));
            if (each->name() == base_.config.default_runtime &&
                !each->traits().has_images)    // sandboxes with images are kept once requested
                keep_usual_ready(domain_.executions, base_.config, domain_.languages, std::string(each->name()));
            const auto& found = each->capabilities();
            if (!found.available)
                base_.log->error("a runtime does not work on this host", {{"runtime", found.name}, {"what", found.unavailable_reason}});
            for (const auto& lack : found.degraded)
                base_.log->warning("this host does not enforce a limit",
                    {{"runtime", found.name}, {"control", lack.control}, {"reason", lack.reason}, {"remedy", lack.remedy}});
        }
        version_runner run = [this](std::vector<std::string> argv) { return run_and_read(&base_.time, std::move(argv)); };
        co_await domain_.languages.probe(std::move(run));
        co_await domain_.compiled.look_ahead();
        for (;;) {
            co_await base_.time.wait_for(probe_again_every);
            co_await probe_again();
        }
    }

    /// A runtime that failed may work now: an engine was started, a package installed.
    task<> probe_again()
    {
        for (auto* each : domain_.host.enabled()) {
            if (each->capabilities().available)
                continue;
            co_await each->probe();
            if (each->capabilities().available)
                base_.log->info("a runtime works now", {{"runtime", each->capabilities().name}});
        }
    }

    task<> stop_background()
    {
        co_await domain_.skills.trees().stop();
        co_await background_.stop();
        co_await domain_.compiled.stop();
        co_await domain_.images.stop();
    }

    task<> stop()
    {
        const auto until = base_.time.steady_now() + std::chrono::milliseconds(base_.config.http.drain_timeout_ms);
        domain_.executions.stop_accepting();
        domain_.skills.trees().keep_all();
        co_await front_.http.stop(until);
        const bool ends = base_.config.on_shutdown == shutdown_action::end;
        auto leaving = ends ? domain_.executions.end_all() : domain_.executions.hand_over(base_.time.steady_now() + 10s);
        if ((co_await std::move(leaving)).has_error()) {
            base_.log->error("a write does not end; the server ends without it, the next one goes on from what is stored");
            leave();
        }
        auto rest = stop_background();
        if ((co_await with_deadline(base_.time, base_.time.steady_now() + 10s, std::move(rest))).has_error()) {
            base_.log->error("a background task does not end; the server ends without it");
            leave();
        }
        if (!base_.config.ready_file.empty())
            std::filesystem::remove(base_.config.ready_file);
        base_.log->info("the server has stopped");
    }

    foundation base_;
    domain domain_;
    front front_;
    webhooks webhooks_;    // runs in background_, which is stopped first
    task_group background_;
    task_group impatience_;    // waits for a second signal
    asio::basic_signal_set<io_executor> signals_{base_.context.get_executor()};
    bool asked_to_stop_ = false;
    int status_ = 0;
};

}    // namespace

int serve(const server_config& config)
{
    std::signal(SIGPIPE, SIG_IGN);
    set_allocator_limits();
    try {
        application app(config);
        return app.run();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "caisson: %s\n", e.what());
        return 1;
    }
}

}    // namespace caisson
