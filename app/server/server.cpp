#include "app/server/server.hpp"

#include "app/http/api.hpp"
#include "app/logging/json_logger.hpp"
#include "app/server/host.hpp"
#include "app/server/instance.hpp"
#include "app/version.hpp"
#include "core/adapters/crypto/digest.hpp"
#include "core/adapters/net/server.hpp"
#include "core/adapters/spawn/seccomp_filter.hpp"
#include "core/async/deadline.hpp"
#include "core/auth/admin_key.hpp"
#include "storage/storage.hpp"

#include <boost/asio/signal_set.hpp>
#include <boost/json/serialize.hpp>

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

namespace caisson {

namespace {

using namespace std::chrono_literals;

net::server_options http_options(const http_config& from)
{
    const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
    net::server_options options;
    options.max_request_line_bytes = size(from.max_request_line_bytes);
    options.max_header_bytes = size(from.max_header_bytes);
    options.max_header_count = size(from.max_headers);
    options.max_body_bytes = static_cast<std::uint64_t>(from.max_body_bytes);
    options.max_connections = size(from.max_connections);
    options.header_timeout = std::chrono::milliseconds(from.header_timeout_ms);
    options.body_timeout = std::chrono::milliseconds(from.body_timeout_ms);
    options.idle_timeout = std::chrono::milliseconds(from.idle_timeout_ms);
    options.write_timeout = std::chrono::milliseconds(from.write_timeout_ms);
    return options;
}

/// Each sandbox takes a few descriptors here, each client one. Returns the most that a process may have.
std::int64_t raise_descriptor_limit()
{
    ::rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1'024;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_max, 1 << 20));
}

/// `config` with what this process may not exceed.
server_config within_host(server_config config, std::int64_t most_descriptors)
{
    auto& range = config.limits.open_files;
    range.max = std::min(range.max, most_descriptors);
    range.def = std::min(range.def, range.max);
    range.min = std::min(range.min, range.max);
    return config;
}

/// Free memory above this goes back to the system when nobody needs it.
constexpr std::size_t kept_free_bytes = 16 << 20;
constexpr auto trim_every = 2s;

/// Large buffers (bodies, files) are mapped one by one, so that they go back to the system at once; output chunks stay below.
void set_allocator_limits()
{
    ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
    ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
    ::mallopt(M_ARENA_MAX, 4);
}

/// A server that was killed a moment ago may still hold its lock: the kernel is busy ending it.
std::unique_ptr<storage> open_storage(const std::filesystem::path& data_dir)
{
    constexpr int tries = 20;
    for (int i = 1;; ++i) {
        try {
            return storage::open(data_dir);
        } catch (const storage_error& failure) {
            if (failure.fault() != storage_fault::locked || i == tries)
                throw;
        }
        std::this_thread::sleep_for(100ms);
    }
}

/// A directory below /tmp for the time of a probe.
class probe_directory {
public:
    probe_directory()
    {
        if (::mkdtemp(path_.data()) == nullptr)
            throw std::system_error(errno, std::generic_category(), "no directory can be made in /tmp");
    }
    probe_directory(const probe_directory&) = delete;
    probe_directory& operator=(const probe_directory&) = delete;
    ~probe_directory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

private:
    std::string path_ = "/tmp/caisson-doctor-XXXXXX";
};

/// The server: constructed in the order of the members, stopped in the reverse one.
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
        , api_(api_services())
        , http_(context_.get_executor(), time_, *log_, api_, http_options(config.http))
        , background_(context_.get_executor(), *log_)
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
        context_.run();
        if (failure)
            std::rethrow_exception(failure);
        return status_;
    }

private:
    execution_services services()
    {
        execution_services made{context_.get_executor(), time_, *log_, ids_, store_->executions(), store_->events(), store_->sandboxes(),
            {}, payload_filter(), {}, {}, 0, 0, config_.runtimes};
        for (auto* each : host_.all())
            made.runtimes.emplace(std::string(each->name()), each);
        made.link.instance = self_.id;
        made.link.epoch = self_.epoch;
        made.link.lease = std::chrono::milliseconds(config_.executions.agent_lease_ms);
        made.logs.ring_bytes = static_cast<std::size_t>(config_.executions.live_buffer_bytes);
        made.max_running = static_cast<std::size_t>(config_.executions.max_running);
        made.max_queued = static_cast<std::size_t>(config_.executions.max_queued);
        return made;
    }

    http::api_services api_services()
    {
        wire::wire_context checks{&config_.limits, &languages_, config_.default_runtime, &config_.runtimes};
        return {context_.get_executor(), time_, *log_, executions_, auth_, tickets_, languages_, host_.enabled(), config_, checks};
    }

    task<> live()
    {
        auto key = co_await ensure_admin_key(auth_, config_.data_dir / "admin.key");
        if (key.has_error())
            throw std::runtime_error("the first key cannot be made: " + key.error().detail);
        auto started = co_await executions_.start();
        if (started.has_error())
            throw std::runtime_error("what an earlier server left cannot be taken up: " + started.error().detail);
        auto listening = http_.listen(config_.listen_host, config_.listen_port);
        if (listening.has_error())
            throw std::runtime_error(listening.error().detail);
        const auto url = listening->front().url();
        if (!config_.ready_file.empty())
            write_ready_file(url, *key);
        log_->info(
            "the server is ready", {{"url", url}, {"version", version_text}, {"data", config_.data_dir.string()}, {"instance", self_.id}});
        background_.spawn("probes", probe());
        background_.spawn("memory", give_memory_back());
        co_await signals_.async_wait(use_task);
        log_->info("the server stops", {{"running_sandboxes", config_.on_shutdown == shutdown_action::keep ? "keep" : "end"}});
        co_await stop();
    }

    void write_ready_file(const std::string& url, const secret& key)
    {
        boost::json::object ready;
        ready["url"] = url;
        ready["api_key"] = key.reveal();
        write_private_file(config_.ready_file, boost::json::serialize(ready) + "\n");
    }

    /// What this host enforces and which versions it has: found out after the server is ready.
    task<> probe()
    {
        for (auto* each : host_.enabled()) {
            co_await each->probe();
            const auto& found = each->capabilities();
            if (!found.available)
                log_->error("a runtime does not work on this host", {{"runtime", found.name}, {"what", found.unavailable_reason}});
            for (const auto& lack : found.degraded)
                log_->warning("this host does not enforce a limit",
                    {{"runtime", found.name}, {"control", lack.control}, {"reason", lack.reason}, {"remedy", lack.remedy}});
        }
        version_runner run = [this](std::vector<std::string> argv) { return run_and_read(&time_, std::move(argv)); };
        co_await languages_.probe(std::move(run));
    }

    task<> give_memory_back()
    {
        for (;;) {
            co_await time_.wait_for(trim_every);
            if (::mallinfo2().fordblks > kept_free_bytes)
                ::malloc_trim(0);
        }
    }

    task<> stop()
    {
        const auto until = time_.steady_now() + std::chrono::milliseconds(config_.http.drain_timeout_ms);
        executions_.stop_accepting();
        co_await http_.stop(until);
        if (config_.on_shutdown == shutdown_action::end)
            co_await executions_.end_all(time_.steady_now() + 10s);
        else
            co_await executions_.hand_over(time_.steady_now() + 10s);
        co_await background_.stop();
        if (!config_.ready_file.empty())
            std::filesystem::remove(config_.ready_file);
        log_->info("the server has stopped");
    }

    const server_config config_;
    std::unique_ptr<logger> log_;
    asio::io_context context_{1};
    system_timers time_;
    worker_pool work_{"caisson-work", 2};
    std::unique_ptr<storage> store_;
    id_factory ids_{time_};
    instance self_;
    host host_;
    execution_service executions_;
    auth_service auth_;
    ticket_office tickets_;
    language_catalog languages_;
    http::api api_;
    net::server http_;
    task_group background_;
    asio::basic_signal_set<io_executor> signals_{context_.get_executor()};
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

std::vector<runtime_capabilities> probe_runtimes(const server_config& config)
{
    asio::io_context context(1);
    system_timers time;
    null_logger log;
    worker_pool work("caisson-work", 1);
    const probe_directory directory;
    auto elsewhere = config;    // a probe leaves the data directory alone
    elsewhere.data_dir = directory.path();
    const host here(elsewhere, "doctor-" + std::to_string(::getpid()), context.get_executor(), time, log, work);
    std::vector<runtime_capabilities> found;
    for (auto* each : here.enabled()) {
        asio::co_spawn(context.get_executor(), each->probe(), [](std::exception_ptr failure) {
            if (failure)
                std::rethrow_exception(failure);
        });
        context.restart();
        context.run();
        found.push_back(each->capabilities());
    }
    return found;
}

}    // namespace caisson
