#pragma once

#include "core/base/log.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace caisson {

/// What a limit of a request may be, and what it is where the request is silent, in the limit's own unit. A request
/// outside is refused with both ends.
struct limit_range {
    std::int64_t min = 0;
    std::int64_t def = 0;
    std::int64_t max = 0;
};

/// Ranges of execution_limits, member by member. Where 0 is the default the value follows from others: cpu_ms is
/// wall_ms × cpus and file_bytes is disk_bytes.
struct execution_limit_ranges {
    limit_range wall_ms{100, 30'000, 3'600'000};
    limit_range cpu_ms{10, 0, 230'400'000};
    limit_range memory_bytes{16LL << 20, 512LL << 20, 16LL << 30};
    limit_range cpu_milli{10, 500, 64'000};
    limit_range pids{1, 128, 4'096};
    limit_range disk_bytes{1LL << 20, 256LL << 20, 16LL << 30};
    limit_range inodes{64, 16'384, 1'048'576};
    limit_range file_bytes{4'096, 0, 16LL << 30};
    limit_range open_files{16, 1'024, 65'536};
    limit_range max_output_bytes{1'024, 16LL << 20, 1LL << 30};
};

/// PEM files. Either both or none; with them the server speaks TLS only.
struct tls_config {
    std::filesystem::path certificate;    // the server's own first, then the chain
    std::filesystem::path key;            // without a passphrase
};

/// What the HTTP server takes from a client before it refuses or hangs up.
struct http_config {
    tls_config tls;
    std::int64_t max_connections = 1'024;
    std::int64_t max_connections_per_address = 0;    // 0: no bound; an IPv6 /64 is one address
    std::int64_t max_request_line_bytes = 16 << 10;
    std::int64_t max_header_bytes = 64 << 10;    // all headers of a request together
    std::int64_t max_headers = 100;
    std::int64_t max_body_bytes = 80LL << 20;
    std::int64_t header_timeout_ms = 10'000;    // from the first byte of a request to the end of its headers
    std::int64_t body_timeout_ms = 30'000;      // between two reads of a body
    std::int64_t idle_timeout_ms = 75'000;      // between two requests of a connection
    std::int64_t write_timeout_ms = 30'000;     // a client that takes nothing for so long is dropped
    std::int64_t drain_timeout_ms = 10'000;     // at shutdown
    std::int64_t max_websocket_message_bytes = 8LL << 20;
    std::int64_t websocket_ping_ms = 20'000;         // between two pings; a client that gives no sign of life for so long is dropped
    std::int64_t max_refs_per_connection = 1'024;    // executions that one /v1/connect may follow at once
};

/// How many executions there may be at once.
struct execution_config {
    std::int64_t max_running = 4;                // the rest wait in the queue; default 2 × cores, at least 4
    std::int64_t max_queued = 10'000;            // beyond it: queue_full
    std::int64_t tenant_max_running = 10'000;    // of one tenant, unless `tenants` says otherwise; the same for the next
    std::int64_t tenant_max_queued = 2'500;
    std::int64_t max_waiting_bytes = 512LL << 20;           // of programs, files and stdin of executions that wait
    std::int64_t tenant_max_waiting_bytes = 128LL << 20;    // the same of one tenant
    std::int64_t max_waiting_clients = 4'096;               // requests that wait for an end
    std::int64_t live_buffer_bytes = 1 << 20;               // newest output of a live execution kept in memory for viewers
    std::int64_t agent_lease_ms = 86'400'000;               // a sandbox without a server ends itself after this
    std::int64_t sweep_interval_ms = 60'000;                // between two looks for what crashes left behind
};

/// What one tenant may use, by its name.
struct tenant_config {
    std::int64_t weight = 1;          // turns relative to other tenants whose executions wait
    std::int64_t max_running = -1;    // -1: as executions.tenant_max_running; the same for the next
    std::int64_t max_queued = -1;
};

/// How long an Idempotency-Key is remembered, and how many of a tenant.
struct idempotency_config {
    std::int64_t lifetime_ms = 86'400'000;
    std::int64_t max_keys_per_tenant = 100'000;
};

struct bubblewrap_config {
    std::filesystem::path path = "/usr/bin/bwrap";
    std::int64_t uid_first = 1'879'048'192;    // host uids of sandboxes when the server is root; above those of systemd
    std::int64_t uid_count = 65'536;
};

/// What SIGTERM does to running sandboxes: keep them for the next start, or end them.
enum class shutdown_action { keep, end };

/// Everything that can be configured, checked and with defaults filled in. Made by app/config.
struct server_config {
    std::string listen_host = "127.0.0.1";
    std::uint16_t listen_port = 8320;    // 0: the kernel picks one
    std::filesystem::path data_dir;      // absolute
    std::filesystem::path ready_file;    // empty: none
    shutdown_action on_shutdown = shutdown_action::keep;
    log_level log_threshold = log_level::info;
    std::filesystem::path log_file;    // empty: standard error

    std::string default_runtime = "bubblewrap";            // one of `runtimes`, never "mock"
    std::vector<std::string> runtimes = {"bubblewrap"};    // enabled ones; "process" and "mock" only by their loud names
    bubblewrap_config bubblewrap;
    std::string cgroup_root;              // of v2, to make sandboxes' groups in; see cgroup_tree_options::root. Empty: the usual place
    std::filesystem::path agent_path;     // caisson-agent; default beside the executable
    std::filesystem::path launch_path;    // caisson-launch; the same

    execution_config executions;
    std::map<std::string, tenant_config> tenants;    // those that are not as the others, by name
    idempotency_config idempotency;
    execution_limit_ranges limits;
    http_config http;
};

}    // namespace caisson
