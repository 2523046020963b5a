#include "app/server/server.hpp"

#include "adapters/crypto/digest.hpp"
#include "adapters/crypto/sha256_hasher.hpp"
#include "adapters/net/server.hpp"
#include "app/doors/http/api.hpp"
#include "app/doors/http/storage_watch.hpp"
#include "app/doors/rest/doors.hpp"
#include "app/logging/json_logger.hpp"
#include "app/server/compile_parts.hpp"
#include "app/server/disk_room.hpp"
#include "app/server/free_memory.hpp"
#include "app/server/host.hpp"
#include "app/server/instance.hpp"
#include "app/server/left_overs.hpp"
#include "app/server/process_limits.hpp"
#include "app/server/ready_sandboxes.hpp"
#include "app/server/registry_logins.hpp"
#include "app/server/sandbox_parts.hpp"
#include "app/server/service_manager.hpp"
#include "app/server/skill_parts.hpp"
#include "app/server/tenants.hpp"
#include "app/server/thread_parts.hpp"
#include "app/server/transport.hpp"
#include "app/server/turn_watch.hpp"
#include "app/server/webhooks.hpp"
#include "app/version.hpp"
#include "core/async/deadline.hpp"
#include "core/auth/admin_key.hpp"
#include "core/exec/skill/skill_runs.hpp"
#include "core/fairness/fair_workers.hpp"
#include "core/files/janitor.hpp"
#include "core/files/url_signer.hpp"
#include "core/images/image_service.hpp"
#include "storage/storage.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/json/serialize.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t text_threads = 2;
constexpr auto probe_again_every = 10s;

/// Retries for 2 s: the kernel may still be ending a killed server that holds the lock.
std::unique_ptr<storage> open_storage(const std::filesystem::path& data_dir)
{
    constexpr int tries = 20;
    for (int i = 1;; ++i) {
        try {
            return storage::open(data_dir, {.make_hasher = &make_sha256_hasher});
        } catch (const storage_error& failure) {
            if (failure.fault() != storage_fault::locked || i == tries)
                throw;
        }
        std::this_thread::sleep_for(100ms);
    }
}

/// The server. Members are constructed in order and destroyed in reverse.
class application {
public:
    explicit application(const server_config& config)
        : config_(within_host(config, raise_descriptor_limit()))
        , log_(config.log_file.empty() ? make_json_logger(config.log_threshold, stderr)
                                       : make_json_logger(config.log_threshold, config.log_file))
        , store_(open_storage(config.data_dir))
        , self_(begin_instance(config.data_dir, time_.now_ms()))
        , host_(config_, self_.id, context_.get_executor(), time_, *log_, work_)
        , executions_(services())
        , auth_(store_->keys(), time_, &sha256_hex)
        , tickets_(time_, &sha256_hex)
        , keys_(auth_, time_, context_.get_executor())
        , api_(api_services(), http::rest_doors())
        , http_(context_.get_executor(), time_, *log_, api_, http_options(config.http))
        , transport_(config_, http_, context_.get_executor(), time_, *log_)
        , webhooks_(config_, *store_, context_.get_executor(), time_, *log_, background_)
        , background_(context_.get_executor(), *log_)
        , impatience_(context_.get_executor(), *log_)
    {
    }

    int run()
    {
        signals_.add(SIGTERM);
        signals_.add(SIGINT);
        std::exception_ptr failure;
        asio::co_spawn(context_.get_executor(), live(), [this, &failure](std::exception_ptr e) {
            failure = std::move(e);
            if (failure)
                context_.stop();
        });
        turns_.run(context_);
        if (failure)
            std::rethrow_exception(failure);
        return status_;
    }

private:
    execution_services services()
    {
        execution_services made{context_.get_executor(), time_, *log_, ids_, {store_->executions(), store_->events(), store_->sandboxes()}};
        made.sources = sandbox_sources_of(config_, host_, self_, images_);
        made.rules.bounds = bounds_of(config_);
        made.sweeps.interval = std::chrono::milliseconds(config_.executions.sweep_interval_ms);
        made.sweeps.chores = sweep_chores(config_, host_.groups(), context_.get_executor(), time_, work_);
        made.sweeps.chores.push_back({"packages on the engine", [this] { return host_.sweep_packages(); }});
        made.rules.logs.ring_bytes = static_cast<std::size_t>(config_.executions.live_buffer_bytes);
        made.stores.contents = &store_->contents();
        made.stores.artifacts = &store_->artifacts();
        made.rules.free_bytes = [this] { return space_of(config_.data_dir).free; };
        made.rules.may_store = room_.gate();
        made.rules.artifact_lifetime = std::chrono::milliseconds(config_.artifacts.retention_ms);
        made.skills.trees = &skills_.trees();
        made.skills.schemas = &skills_.schemas();
        made.compiled = compiled_.cache();
        made.stores.checkpoints = &threads_.service();
        made.webhook_due = [this] { webhooks_.wake(); };
        made.rules.idempotency = {config_.idempotency.lifetime_ms, static_cast<std::size_t>(config_.idempotency.max_keys_per_tenant)};
        made.rules.retention = retention_of(config_.executions);
        return made;
    }

    http::api_services api_services()
    {
        wire::wire_context checks{&config_.limits, &languages_, config_.default_runtime, &config_.runtimes};
        http::api_services made{context_.get_executor(), time_, *log_, executions_, auth_, tickets_, keys_, languages_, host_.enabled(),
            config_, checks, &sha256_hex, &storage_watch_, [this] { return certificate(); }, [this] { return turns_.detail(); }};
        made.registry = &skills_.registry();
        made.skills = &skill_runs_;
        made.wire.skill_limits = &skill_limits_;
        made.wire.compile = config_.compile;
        made.wire.max_skill_input_bytes = config_.skills.max_input_bytes;
        made.wire.artifacts = config_.artifacts;
        made.artifacts = &store_->artifacts();
        made.contents = &store_->contents();
        made.signer = &signer_;
        made.work = &files_;
        made.texts = &large_texts_;
        made.webhooks = &store_->webhooks();
        made.skill_records = &store_->skills();
        made.trees = &skills_.trees();
        made.wire.private_webhooks = config_.webhooks.allow_private;
        made.wire.images = &image_table_;
        made.images = &images_;
        made.threads = &threads_.service();
        made.tenant_called = [this](std::string name) {
            return store_->keys().ensure_tenant(std::move(name), ids_.make<tenant_id>(), time_.now_ms());
        };
        return made;
    }

    std::optional<wire::dependency> certificate() const
    {
        const auto found = transport_.certificate();
        return found ? std::optional(wire::dependency{"certificate", found->valid, found->detail}) : std::nullopt;
    }

    /// Handles signals from the start on; a second one ends the process at once.
    task<> live()
    {
        auto starting = start_up();
        auto asked = next_signal();
        const auto first = co_await race(std::move(starting), std::move(asked));
        if (first.index() == 0 && !asked_to_stop_)
            co_await next_signal();
        tell_service_manager("STOPPING=1");
        log_->info("the server stops", {{"running_sandboxes", config_.on_shutdown == shutdown_action::keep ? "keep" : "end"}});
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
        log_->warning("a second signal: the server ends at once, sandboxes go on");
        leave();
    }

    /// Exits without waiting: acknowledged work is durable, and the agents keep the rest for the next server.
    [[noreturn]] void leave()
    {
        if (!config_.ready_file.empty()) {
            std::error_code ignored;
            std::filesystem::remove(config_.ready_file, ignored);
        }
        std::_Exit(status_);
    }

    task<> start_up()
    {
        auto key = co_await ensure_admin_key(auth_, config_.data_dir / "admin.key");
        if (key.has_error())
            throw std::runtime_error("the first key cannot be made: " + key.error().detail);
        const tenant_parts tenants{store_->keys(), ids_, config_, executions_, http_, time_};
        if (const auto bounded = co_await bound_tenants(tenants); bounded.has_error())
            throw std::runtime_error("the tenants of the configuration cannot be recorded: " + bounded.error().detail);
        background_.spawn("places of tenants", keep_tenants_bounded(tenants));
        co_await skills_.prepare();
        co_await compiled_.prepare();
        auto started = co_await executions_.start();
        if (started.has_error())
            throw std::runtime_error("what an earlier server left cannot be taken up: " + started.error().detail);
        skills_.trees().settle();
        auto transported = transport_.prepare(raise_descriptor_limit());
        if (transported.has_error())
            throw std::runtime_error(transported.error().detail);
        auto listening = http_.listen(config_.listen_host, config_.listen_port);
        if (listening.has_error())
            throw std::runtime_error(listening.error().detail);
        const auto url = listening->front().url();
        if (!config_.ready_file.empty())
            write_ready_file(url, *key);
        log_->info(
            "the server is ready", {{"url", url}, {"version", version_text}, {"data", config_.data_dir.string()}, {"instance", self_.id}});
        turns_.begin_anew();
        tell_service_manager("READY=1\nSTATUS=serves at " + url);
        background_.spawn("probes", probe());
        background_.spawn("memory", give_memory_back(&time_, &work_));
        background_.spawn("keys of open streams", keys_.run());
        background_.spawn("certificate", transport_.watch());
        background_.spawn("webhooks", webhooks_.run());
        background_.spawn("janitor", janitor_.run());
        background_.spawn("room on the disk", room_.run());
        background_.spawn("threads", threads_.service().run());
        if (images_.has_engine()) {
            background_.spawn("changes of images", images_.follow());
            background_.spawn("images in use", images_.keep_known());
            background_.spawn("images", images_.fetch_wanted());
        }
        background_.spawn("hangups", transport_.heed_hangups());
        background_.spawn("idempotency keys", executions_.forget_expired_keys());
        background_.spawn("ended executions", executions_.keep_within_bounds());
    }

    void write_ready_file(const std::string& url, const secret& key)
    {
        boost::json::object ready;
        ready["url"] = url;
        ready["api_key"] = key.reveal();
        write_private_file(config_.ready_file, boost::json::serialize(ready) + "\n");
    }

    /// Finds out, once the server is ready, what this host enforces and which versions it has. Then probes failed runtimes again.
    task<> probe()
    {
        for (auto* each : host_.enabled()) {
            co_await each->probe();
            executions_.prepare_ahead(usual_limits(config_));
            if (each->name() == config_.default_runtime && !each->traits().has_images)    // sandboxes with images are kept once requested
                keep_usual_ready(executions_, config_, languages_, std::string(each->name()));
            const auto& found = each->capabilities();
            if (!found.available)
                log_->error("a runtime does not work on this host", {{"runtime", found.name}, {"what", found.unavailable_reason}});
            for (const auto& lack : found.degraded)
                log_->warning("this host does not enforce a limit",
                    {{"runtime", found.name}, {"control", lack.control}, {"reason", lack.reason}, {"remedy", lack.remedy}});
        }
        version_runner run = [this](std::vector<std::string> argv) { return run_and_read(&time_, std::move(argv)); };
        co_await languages_.probe(std::move(run));
        co_await compiled_.look_ahead();
        for (;;) {
            co_await time_.wait_for(probe_again_every);
            co_await probe_again();
        }
    }

    /// A runtime that failed may work now: an engine was started, a package installed.
    task<> probe_again()
    {
        for (auto* each : host_.enabled()) {
            if (each->capabilities().available)
                continue;
            co_await each->probe();
            if (each->capabilities().available)
                log_->info("a runtime works now", {{"runtime", each->capabilities().name}});
        }
    }

    task<> stop_background()
    {
        co_await skills_.trees().stop();
        co_await background_.stop();
        co_await compiled_.stop();
        co_await images_.stop();
    }

    task<> stop()
    {
        const auto until = time_.steady_now() + std::chrono::milliseconds(config_.http.drain_timeout_ms);
        executions_.stop_accepting();
        skills_.trees().keep_all();
        co_await http_.stop(until);
        const bool ends = config_.on_shutdown == shutdown_action::end;
        auto leaving = ends ? executions_.end_all() : executions_.hand_over(time_.steady_now() + 10s);
        if ((co_await std::move(leaving)).has_error()) {
            log_->error("a write does not end; the server ends without it, the next one goes on from what is stored");
            leave();
        }
        auto rest = stop_background();
        if ((co_await with_deadline(time_, time_.steady_now() + 10s, std::move(rest))).has_error()) {
            log_->error("a background task does not end; the server ends without it");
            leave();
        }
        if (!config_.ready_file.empty())
            std::filesystem::remove(config_.ready_file);
        log_->info("the server has stopped");
    }

    const server_config config_;
    std::unique_ptr<logger> log_;
    asio::io_context context_{1};
    turn_watch turns_{*log_};
    system_timers time_;
    worker_pool work_{"caisson-work", 2};      // start sandboxes and run sweeps, which take long
    worker_pool files_{"caisson-files", 2};    // pack archives for clients
    std::unique_ptr<storage> store_;
    id_factory ids_{time_};
    disk_room room_{{time_, *log_, [this] { return space_of(config_.data_dir); }, [this] { return store_->bytes_by_tenant(); },
                        [this] { store_->make_room(); }, [this] { executions_.look_again(); }},
        static_cast<std::uint64_t>(config_.disk.min_free_bytes)};
    skill_parts skills_{config_, *store_, room_.gate(), context_.get_executor(), time_, *log_};
    compile_parts compiled_{config_, context_.get_executor(), time_, *log_};
    const execution_limit_ranges skill_limits_ = skill_limits(config_);
    instance self_;
    host host_;
    image_service images_{context_.get_executor(), time_, *log_, store_->allowed_images(), host_.images(), options_with_logins(config_)};
    const image_table image_table_{config_.images};
    skill_runs skill_runs_{
        skills_.registry(), &skills_.schemas(), images_, skill_options_of(config_), host_images(config_.images.host), image_table_};
    thread_parts threads_{config_.threads, *store_, room_.gate(), context_.get_executor(), time_, *log_, ids_};
    execution_service executions_;
    auth_service auth_;
    ticket_office tickets_;
    key_watch keys_;
    url_signer signer_{
        store_->signing_keys(), time_, *log_, &hmac_sha256, {.lifetime = std::chrono::milliseconds(config_.artifacts.url_lifetime_ms)}};
    janitor janitor_{{time_, *log_, store_->contents(), store_->artifacts()},
        {.max_bytes_per_tenant = config_.artifacts.max_bytes_per_tenant,
            .max_stored_per_tenant = 2 * config_.artifacts.max_bytes_per_tenant + config_.skills.max_bytes_per_tenant}};
    language_catalog languages_;
    http::storage_watch storage_watch_{*store_, time_, *log_, [this] { return room_.told(); }};
    http::api api_;
    worker_pool texts_{"caisson-texts", text_threads};    // their jobs use the members above
    io_turns tenant_turns_{context_.get_executor()};
    fair_workers large_texts_{context_.get_executor(), texts_, text_threads, &tenant_turns_};
    net::server http_;
    transport transport_;
    webhooks webhooks_;    // runs in background_, which is stopped first
    task_group background_;
    task_group impatience_;    // waits for a second signal
    asio::basic_signal_set<io_executor> signals_{context_.get_executor()};
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
