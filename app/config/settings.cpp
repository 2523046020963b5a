#include "app/config/settings.hpp"

#include "app/config/setting_kinds.hpp"

#include <limits>
#include <utility>

namespace caisson {

namespace {

constexpr std::int64_t most = 1LL << 50;
constexpr std::int64_t day_ms = 86'400'000;

setting listen(server_config& config)
{
    auto apply = [&config](const setting_value& value) -> std::optional<std::string> {
        auto address = parse_host_and_port(std::get<std::string>(value));
        if (!address)
            return "must be HOST:PORT such as 127.0.0.1:8320 or [::1]:8320, with a port from 0 to 65535";
        config.listen_host = std::move(address->host);
        config.listen_port = address->port;
        return std::nullopt;
    };
    auto shown = [&config] { return config.listen_host + ":" + std::to_string(config.listen_port); };
    return {"listen", setting_kind::text, "address to serve on; port 0 picks one", std::move(apply), std::move(shown)};
}

class table {
public:
    explicit table(draft_config& draft) : draft_(draft), config_(draft.config) { }

    std::vector<setting> build()
    {
        add_server();
        add_runtimes();
        add_engine();
        add_images();
        add_cgroups();
        add_executions();
        add_skills();
        add_artifacts();
        add_threads();
        add_pool();
        add_webhooks();
        add_limits();
        add_http();
        return std::move(settings_);
    }

private:
    void add(setting setting) { settings_.push_back(std::move(setting)); }
    void add_server();
    void add_runtimes();
    void add_engine();
    void add_images();
    void add_cgroups();
    void add_executions();
    void add_skills();
    void add_artifacts();
    void add_threads();
    void add_pool();
    void add_webhooks();
    void add_limits();
    void add_limit(const std::string& name, limit_range& range, const std::string& what);
    void add_http();

    draft_config& draft_;
    server_config& config_;
    std::vector<setting> settings_;
};

void table::add_server()
{
    add(listen(config_));
    add(path("data_dir", config_.data_dir, "where the database and everything else is kept; other users must not be able to write there"));
    add(path("ready_file", config_.ready_file, "written once connections are accepted: {\"url\":…,\"api_key\":…}"));
    add(choice<shutdown_action>("on_shutdown", config_.on_shutdown, {{"keep", shutdown_action::keep}, {"end", shutdown_action::end}},
        "running sandboxes at SIGTERM: keep them for the next start, or end them"));
    add(choice<log_level>("log.level", config_.log_threshold,
        {{"debug", log_level::debug}, {"info", log_level::info}, {"warning", log_level::warning}, {"error", log_level::error}},
        "least level that is logged"));
    add(path("log.file", config_.log_file, "log lines go here instead of standard error"));
    add(path("agent_path", config_.agent_path, "caisson-agent"));
    add(path("launch_path", config_.launch_path, "caisson-launch"));
}

void table::add_runtimes()
{
    add(text("runtimes.default", draft_.default_runtime, "runtime of requests that name none; auto is bubblewrap"));
    add(text_list("runtimes.enabled", draft_.enabled_runtimes, "runtimes that isolate and may be used"));
    add(boolean("runtimes.process.i_know_this_runs_code_without_isolation", draft_.process_without_isolation,
        "DANGER: lets requests run programs as this server's user, with its files and network"));
    add(boolean("runtimes.mock.enabled_for_tests", draft_.mock_for_tests, "a scripted runtime that runs nothing"));
    add(path("runtimes.bubblewrap.path", config_.bubblewrap.path, "the bwrap program"));
    add(choice<std::string>("runtimes.bubblewrap.made_by", config_.bubblewrap.made_by, {{"auto", "auto"}, {"bwrap", "bwrap"}},
        "who makes namespaces and mounts: auto is caisson-launch itself where root runs the server, which is faster, else bwrap"));
    add(integer("runtimes.bubblewrap.uid_first", config_.bubblewrap.uid_first, 1'000, 4'294'000'000,
        "first host user id of sandboxes when run by root"));
    add(integer("runtimes.bubblewrap.uid_count", config_.bubblewrap.uid_count, 1, 16'777'216, "how many host user ids there are"));
    add(integer("runtimes.bubblewrap.max_prepared", config_.bubblewrap.max_prepared, 0, 256, "most sandboxes that are prepared ahead"));
}

void table::add_engine()
{
    const std::vector<std::pair<std::string, std::string>> links{{"auto", "auto"}, {"socket", "socket"}, {"stdio", "stdio"}};
    auto& docker = config_.docker;
    add(text("docker.engine", docker.engine, "the container engine of docker and gvisor: unix:///PATH, or tcp://HOST:PORT"));
    add(path("docker.ca_file", docker.ca_file, "PEM file of the CA that an engine at tcp:// is trusted by; with it TLS is spoken"));
    add(path("docker.certificate_file", docker.certificate_file, "PEM file of this server's own certificate for the engine"));
    add(path("docker.key_file", docker.key_file, "PEM file of its key"));
    add(text("docker.engine_runtime", docker.engine_runtime, "the engine's name for what runs containers of the runtime docker"));
    add(choice<std::string>("docker.link", docker.link, links,
        "how agents in containers are reached: by a socket on this host, by the engine, or what is possible"));
    add(text("docker.name_prefix", docker.name_prefix, "what the names of containers begin with"));
    add(text("docker.user", docker.user, "UID:GID of programs in containers, where sandboxes have no uids of their own"));
    add(text(
        "docker.probe_image", docker.probe_image, "what doctor tries the runtimes with; default an empty one, which is made and removed"));
    add(text("gvisor.engine_runtime", config_.gvisor.engine_runtime, "the engine's name for what runs containers of the runtime gvisor"));
    add(choice<std::string>("gvisor.link", config_.gvisor.link, links, "as docker.link"));
}

void table::add_images()
{
    auto& images = config_.images;
    const std::vector<std::pair<std::string, std::string>> policies{{"missing", "missing"}, {"always", "always"}, {"never", "never"}};
    add(text_list("images.allowed", images.allowed, "images that executions and skills may name, exactly so; empty: none"));
    add(text_list("images.host", images.host, "IMAGE=PROGRAM: what stands for an image on runtimes without images, a name or a path"));
    add(text_list("images.languages", images.languages, "LANGUAGE=IMAGE: what code runs in that names no image"));
    add(text("images.default", images.standard, "what commands run in that name no image; empty: they have to"));
    add(text_list("images.interpreters", images.interpreters, "IMAGE=PROGRAM: what runs code in it instead of its language's program"));
    add(choice<std::string>("images.pull", images.pull, policies, "when an image is fetched: if the engine lacks it, always, or never"));
    add(integer("images.max_pulls", images.max_pulls, 1, 100, "images that are fetched at once"));
    add(integer("images.pull_timeout_ms", images.pull_timeout_ms, 1'000, day_ms, "time of a pull"));
    add(integer("images.stall_timeout_ms", images.stall_timeout_ms, 1'000, day_ms, "how long none of its layers may move"));
    add(text_list("images.ensure", images.ensure, "images that are fetched at the start"));
    add(integer("images.max_load_bytes", images.max_load_bytes, 1'024, most, "an image that is uploaded"));
}

void table::add_cgroups()
{
    add(text("cgroups.root", config_.cgroup_root,
        "existing group of cgroup v2 for sandboxes: from the top (/system.slice/…) or beside the server's own (../…); empty: the usual "
        "place"));
}

void table::add_executions()
{
    auto& executions = config_.executions;
    add(integer("executions.max_running", executions.max_running, 1, 10'000, "executions at once; the rest wait"));
    add(integer("executions.max_memory_bytes", executions.max_memory_bytes, 0, 1LL << 50,
        "limits.memory_bytes and limits.disk_bytes of all executions that run; the rest wait; 0: no bound"));
    add(integer("executions.disk_read_bytes_per_s", executions.disk_read_bytes_per_s, 0, most,
        "that all sandboxes together may read of each disk of the host (with an engine each container); 0: no bound"));
    add(integer("executions.disk_reads_per_s", executions.disk_reads_per_s, 0, 1'000'000'000, "the same, counted in requests"));
    add(text_list("executions.fallback", config_.fallback,
        "runtimes for executions that name neither runtime nor image, while the default one makes no sandboxes"));
    add(integer("executions.max_queued", executions.max_queued, 0, 1'000'000, "executions that may wait; beyond it 429"));
    add(integer("executions.tenant_max_running", executions.tenant_max_running, 0, 10'000,
        "executions of one tenant at once; 0: as many as there may be, but three quarters of them where two tenants have keys"));
    add(integer("executions.tenant_max_queued", executions.tenant_max_queued, 0, 1'000'000,
        "executions of one tenant that may wait; beyond it 429"));
    add(integer("executions.max_waiting_bytes", executions.max_waiting_bytes, 1 << 20, 1LL << 40,
        "programs, files and stdin of all executions that wait; beyond it 429"));
    add(integer("executions.tenant_max_waiting_bytes", executions.tenant_max_waiting_bytes, 1 << 20, 1LL << 40, "the same of one tenant"));
    add(integer("idempotency.lifetime_ms", config_.idempotency.lifetime_ms, 1'000, 30 * day_ms, "how long an Idempotency-Key is kept"));
    add(integer("idempotency.max_keys_per_tenant", config_.idempotency.max_keys_per_tenant, 1, 10'000'000,
        "keys of one tenant at once; beyond it 429"));
    add(integer("executions.max_waiting_clients", executions.max_waiting_clients, 1, 100'000, "requests that may wait for an end"));
    add(integer("executions.live_buffer_bytes", executions.live_buffer_bytes, 65'536, 256LL << 20,
        "newest output kept in memory for each live execution"));
    add(integer(
        "executions.sweep_interval_ms", executions.sweep_interval_ms, 100, day_ms, "between two looks for what crashes left behind"));
    add(integer("storage.min_free_bytes", config_.disk.min_free_bytes, 0, most,
        "free on the data directory's disk, a tenth of it at most; with less, tenants that keep most store nothing more"));
    add(integer("executions.max_bytes_per_tenant", executions.max_bytes_per_tenant, 0, most,
        "records, logs, inputs and outputs of a tenant's ended executions; beyond it 429; 0: no bound"));
    add(boolean("executions.remove_oldest", executions.remove_oldest, "instead of 429 the oldest of them are deleted"));
    add(integer("executions.retention_ms", executions.retention_ms, 0, 3'650 * day_ms,
        "how long ended executions are kept; 0: until they are deleted"));
    add(integer("executions.agent_lease_ms", executions.agent_lease_ms, 10'000, 30 * day_ms, "a sandbox without a server ends after this"));
}

void table::add_skills()
{
    auto& skills = config_.skills;
    add(integer("skills.default_wall_ms", skills.default_wall_ms, 100, day_ms, "time of a skill that does not say"));
    add(integer("skills.max_wall_ms", skills.max_wall_ms, 100, day_ms, "most time of a skill"));
    add(integer("skills.default_memory_bytes", skills.default_memory_bytes, 1 << 20, most, "memory of a skill that does not say"));
    add(integer("skills.max_input_bytes", skills.max_input_bytes, 1'024, 1LL << 30, "input of a skill, as JSON"));
    add(integer("skills.max_output_bytes", skills.max_output_bytes, 1'024, 256LL << 20, "output.json of a skill"));
    add(integer("skills.max_package_bytes", skills.max_package_bytes, 1'024, 4LL << 30, "a package as it is uploaded"));
    add(integer("skills.max_unpacked_bytes", skills.max_unpacked_bytes, 1'024, 64LL << 30, "all files of a package together"));
    add(integer("skills.max_files", skills.max_files, 1, 100'000, "entries of a package"));
    add(integer(
        "skills.max_uploads", skills.max_uploads, 1, 10'000, "packages that are uploaded at once; a quarter of them of one tenant"));
    add(integer("skills.max_bytes_per_tenant", skills.max_bytes_per_tenant, 1'024, most, "packages of a tenant; beyond it 429"));
    add(integer("skills.max_packages_per_tenant", skills.max_packages_per_tenant, 1, 10'000'000,
        "packages of a tenant, older contents of versions too; beyond it 429"));
    add(integer("skills.max_skills_per_tenant", skills.max_skills_per_tenant, 1, 1'000'000, "skills of a tenant; beyond it 429"));
    add(integer("skills.max_versions_per_skill", skills.max_versions_per_skill, 1, 100'000, "versions of a skill; beyond it 429"));
    add(integer("skills.max_revisions_per_version", skills.max_revisions_per_version, 1, 10'000,
        "contents that are kept of a version; beyond it the oldest goes"));
    add(integer("skills.cache_bytes", skills.cache_bytes, 0, most, "unpacked packages that are kept for the next run"));
}

void table::add_limit(const std::string& name, limit_range& range, const std::string& what)
{
    const std::string key = "limits." + name;
    const std::int64_t least_default = range.def == 0 ? 0 : 1;    // 0: derived from other limits
    add(integer(key + ".min", range.min, 1, most, "least " + what + " that a request may ask for"));
    add(integer(key + ".default", range.def, least_default, most, what + " of a request that does not say"));
    add(integer(key + ".max", range.max, 1, most, "most " + what + " that a request may ask for"));
}

void table::add_limits()
{
    auto& limits = config_.limits;
    add_limit("wall_ms", limits.wall_ms, "time");
    add_limit("cpu_ms", limits.cpu_ms, "CPU time (default 0: wall_ms × cpus)");
    add_limit("compile_wall_ms", config_.compile.wall_ms, "time of a compiler");
    add_limit("compile_cpu_ms", config_.compile.cpu_ms, "CPU time of a compiler");
    auto& compiled = config_.compiled;
    add(integer("compile.cache_bytes", compiled.cache_bytes, 0, most, "disk for what compilers made, to be used again; 0: none"));
    add(integer("compile.cache_bytes_per_tenant", compiled.cache_bytes_per_tenant, 0, most, "of it for one tenant"));
    add(integer("compile.cache_entry_bytes", compiled.cache_entry_bytes, 0, 256LL << 20, "of it for one compilation"));
    add_limit("memory_bytes", limits.memory_bytes, "memory");
    add_limit("cpu_milli", limits.cpu_milli, "thousandths of a core");
    add_limit("pids", limits.pids, "processes and threads");
    add_limit("disk_bytes", limits.disk_bytes, "disk space");
    add_limit("inodes", limits.inodes, "files and directories");
    add_limit("file_bytes", limits.file_bytes, "size of one file (default 0: disk_bytes)");
    add_limit("open_files", limits.open_files, "open files of a process");
    add_limit("stack_bytes", limits.stack_bytes, "stack of a process");
    add_limit("max_output_bytes", limits.max_output_bytes, "output kept");
}

void table::add_pool()
{
    auto& pool = config_.pool;
    add(boolean("pool.enabled", pool.enabled, "keep sandboxes ready before they are asked for"));
    add(integer("pool.idle", pool.idle, 0, 1'000, "sandboxes kept ready whatever the demand, of what executions run in by default"));
    add(integer("pool.max", pool.max, 0, 1'000, "sandboxes kept ready at once"));
    add(integer("pool.max_bytes", pool.max_bytes, 0, most, "memory that sandboxes kept ready hold, about"));
    add(boolean("pool.warm_interpreters", pool.warm_interpreters, "keep a Python started in sandboxes for Python programs"));
    add(module_list("pool.preload", pool.preload, "modules that it has imported by then, where they are installed: \"numpy\""));
}

void table::add_threads()
{
    auto& threads = config_.threads;
    add(integer("threads.max_state_bytes", threads.max_state_bytes, 1'024, 16LL << 20, "a saved state"));
    add(integer("threads.max_bytes_per_tenant", threads.max_bytes_per_tenant, 1'024, most,
        "saved states of a tenant, as they are stored; beyond it 429"));
    add(integer("threads.max_threads_per_tenant", threads.max_threads_per_tenant, 1, 100'000'000, "threads of a tenant; beyond it 429"));
    add(integer("threads.max_import_bytes", threads.max_import_bytes, 1'024, most, "a thread that is imported"));
    add(integer("threads.max_checkpoints", threads.max_checkpoints, 1, 100'000, "checkpoints that are kept of a thread that does not say"));
    add(integer("threads.ttl_ms", threads.ttl_ms, 0, 3'650 * day_ms, "how long they are kept there; 0: for ever"));
    add(integer("threads.sweep_interval_ms", threads.sweep_interval_ms, 10, day_ms, "between two looks for checkpoints that ran out"));
}

void table::add_artifacts()
{
    auto& artifacts = config_.artifacts;
    add(integer("artifacts.max_files", artifacts.max_files, 1, 100'000, "files that are kept of an execution"));
    add(integer("artifacts.max_bytes", artifacts.max_bytes, 1'024, 64LL << 30, "all of them together"));
    add(integer("artifacts.max_file_bytes", artifacts.max_file_bytes, 1'024, 64LL << 30, "one of them; larger ones are left out"));
    add(integer("artifacts.max_depth", artifacts.max_depth, 1, 64, "directories above a file"));
    add(integer("artifacts.url_lifetime_ms", artifacts.url_lifetime_ms, 1'000, 7 * day_ms, "how long a signed address is good"));
    add(integer("artifacts.retention_ms", artifacts.retention_ms, 60'000, 3'650 * day_ms, "how long files are kept after their execution"));
    add(integer(
        "artifacts.max_bytes_per_tenant", artifacts.max_bytes_per_tenant, 1'024, most, "kept files of a tenant; beyond it the oldest go"));
}

void table::add_webhooks()
{
    auto& webhooks = config_.webhooks;
    add(boolean("webhooks.allow_private", webhooks.allow_private,
        "lets requests have webhooks sent to this host and to private networks: any program there that listens can be reached"));
    add(integer("webhooks.attempts", webhooks.attempts, 1, 100, "attempts to deliver a webhook"));
    add(integer(
        "webhooks.first_delay_ms", webhooks.first_delay_ms, 1, day_ms, "pause before the second; each further one is three times it"));
    add(integer("webhooks.max_delay_ms", webhooks.max_delay_ms, 1, 7 * day_ms, "longest pause between two"));
    add(integer("webhooks.timeout_ms", webhooks.timeout_ms, 100, 60'000, "time of an attempt"));
    add(integer("webhooks.max_in_flight", webhooks.max_in_flight, 1, 1'000, "attempts at once"));
    add(integer("webhooks.max_in_flight_per_tenant", webhooks.max_in_flight_per_tenant, 1, 1'000, "the same of a tenant"));
    add(integer(
        "webhooks.max_in_flight_per_receiver", webhooks.max_in_flight_per_receiver, 1, 1'000, "the same of it to one host and port"));
}

void table::add_http()
{
    auto& http = config_.http;
    add(text("http.public_url", http.public_url,
        "what clients reach this server by, for signed addresses and its own pages; default: as each asks"));
    add(text_list("http.allowed_origins", http.allowed_origins,
        "origins of other pages that may use the API in a browser, exactly so: https://app.example"));
    add(text_list(
        "http.trusted_proxies", http.trusted_proxies, "addresses or networks whose X-Forwarded-Host and X-Forwarded-Proto are believed"));
    add(path("http.tls.certificate", http.tls.certificate, "PEM file; with it and its key the server speaks TLS only"));
    add(path("http.tls.key", http.tls.key, "PEM file, without a passphrase"));
    add(integer("http.max_connections", http.max_connections, 1, 1'000'000, "connections at once"));
    add(integer("http.tenant_max_connections", http.tenant_max_connections, 0, 1'000'000,
        "of them in use by one tenant; 0: all, but three quarters where two tenants have keys"));
    add(integer("http.max_connections_per_address", http.max_connections_per_address, 0, 1'000'000,
        "of them from one address or IPv6 /64; 0: no bound"));
    add(integer("http.max_request_line_bytes", http.max_request_line_bytes, 256, 1 << 20, "method, target and version"));
    add(integer("http.max_header_bytes", http.max_header_bytes, 1'024, 16 << 20, "all headers of a request"));
    add(integer("http.max_headers", http.max_headers, 8, 10'000, "headers of a request"));
    add(integer("http.max_body_bytes", http.max_body_bytes, 1'024, 4LL << 30, "body of a request"));
    add(integer("http.header_timeout_ms", http.header_timeout_ms, 100, 600'000, "from a request's first byte to the end of its headers"));
    add(integer("http.body_timeout_ms", http.body_timeout_ms, 100, 600'000, "between two reads of a body"));
    add(integer("http.idle_timeout_ms", http.idle_timeout_ms, 100, day_ms, "between two requests of a connection"));
    add(integer("http.write_timeout_ms", http.write_timeout_ms, 100, 600'000, "a client that takes nothing for so long is dropped"));
    add(integer("http.drain_timeout_ms", http.drain_timeout_ms, 0, 600'000, "for sessions at shutdown"));
    add(integer("http.max_websocket_message_bytes", http.max_websocket_message_bytes, 1'024, 4LL << 30, "one message of a client"));
    add(integer(
        "http.websocket_ping_ms", http.websocket_ping_ms, 100, day_ms, "between two pings, and how long a client may be silent after one"));
    add(integer("http.max_refs_per_connection", http.max_refs_per_connection, 1, 1'000'000, "executions that one /v1/connect may follow"));
}

}    // namespace

std::vector<setting> settings_of(draft_config& draft) { return table(draft).build(); }

}    // namespace caisson
