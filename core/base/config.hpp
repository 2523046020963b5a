#pragma once

#include "core/base/log.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// The range and default of a request's limit, in the limit's own unit. A request outside the range is refused; the message names
/// both ends.
struct limit_range {
    std::int64_t min = 0;
    std::int64_t def = 0;
    std::int64_t max = 0;
};

/// Ranges of execution_limits, member by member. A default of 0 is derived from other limits: cpu_ms is wall_ms × cpus, and
/// file_bytes is disk_bytes.
struct execution_limit_ranges {
    limit_range wall_ms{100, 30'000, 3'600'000};
    limit_range cpu_ms{10, 0, 230'400'000};
    limit_range memory_bytes{16LL << 20, 512LL << 20, 16LL << 30};
    limit_range cpu_milli{10, 500, 64'000};
    limit_range pids{1, 128, 4'096};
    limit_range disk_bytes{1LL << 20, 256LL << 20, 16LL << 30};
    limit_range inodes{64, 16'384, 1'048'576};
    limit_range file_bytes{4'096, 0, 16LL << 30};
    limit_range open_files{16, 1'024, 4'096};
    limit_range stack_bytes{1LL << 20, 8LL << 20, 1LL << 30};
    limit_range max_output_bytes{1'024, 16LL << 20, 1LL << 30};
};

/// Ranges of compile_limits. The maximum and the default of the memory are the execution's.
struct compile_limit_ranges {
    limit_range wall_ms{100, 60'000, 600'000};
    limit_range cpu_ms{10, 60'000, 1'200'000};
};

/// PEM files. Either both or none; with them the server speaks TLS only.
struct tls_config {
    std::filesystem::path certificate;    // the server's own first, then the chain
    std::filesystem::path key;            // without a passphrase
};

/// The cache of compilers' results.
struct compile_cache_config {
    std::int64_t cache_bytes = 1LL << 30;                 // on disk; 0: no cache
    std::int64_t cache_bytes_per_tenant = 256LL << 20;    // beyond it the least recently used entries go
    std::int64_t cache_entry_bytes = 32LL << 20;          // files of one compilation; larger results are not cached
};

/// The HTTP server's addresses, limits and timeouts.
struct http_config {
    tls_config tls;
    std::string public_url;                      // the server's address for clients: "https://caisson.example"; empty: as in each request
    std::vector<std::string> allowed_origins;    // origins of pages that may use the API (CORS): "https://app.example"
    std::vector<std::string> trusted_proxies;    // their X-Forwarded-Host and -Proto are trusted: "10.0.0.0/8", "::1"
    std::int64_t max_connections = 1'024;
    std::int64_t tenant_max_connections = 0;         // 0: see bounds_of_owners()
    std::int64_t max_connections_per_address = 0;    // 0: no bound; an IPv6 /64 is one address
    std::int64_t max_request_line_bytes = 16 << 10;
    std::int64_t max_header_bytes = 64 << 10;    // all headers of a request together
    std::int64_t max_headers = 100;
    std::int64_t max_body_bytes = 80LL << 20;
    std::int64_t header_timeout_ms = 10'000;    // from the first byte of a request to the end of its headers
    std::int64_t body_timeout_ms = 30'000;      // between two reads of a body
    std::int64_t idle_timeout_ms = 75'000;      // between two requests of a connection
    std::int64_t write_timeout_ms = 30'000;     // a client that reads nothing for this long is disconnected
    std::int64_t drain_timeout_ms = 10'000;     // at shutdown
    std::int64_t max_websocket_message_bytes = 8LL << 20;
    std::int64_t websocket_ping_ms = 20'000;         // between two pings; a client that is silent for this long is disconnected
    std::int64_t max_refs_per_connection = 1'024;    // executions that one /v1/connect may follow at once
};

/// Saved states of agents.
struct threads_config {
    std::int64_t max_state_bytes = 4 << 20;            // one state, as it is sent
    std::int64_t max_bytes_per_tenant = 10LL << 30;    // of all states as stored; beyond it saving is refused
    std::int64_t max_threads_per_tenant = 1'000'000;
    std::int64_t max_import_bytes = 1LL << 30;    // of an imported file
    std::int64_t max_checkpoints = 100;           // of a thread that sets none
    std::int64_t ttl_ms = 0;                      // of their checkpoints, in a thread that sets none; 0: they never expire
    std::int64_t sweep_interval_ms = 5'000;       // between two sweeps for expired checkpoints
};

/// The disk of the data directory.
struct storage_config {
    std::int64_t min_free_bytes = 1 << 30;    // below it, the tenants that store most may store nothing more; 0: see disk_room
};

/// Which files of executions are kept, and how they are served.
struct artifacts_config {
    std::int64_t max_files = 1'000;    // of one execution, like the next three
    std::int64_t max_bytes = 256LL << 20;
    std::int64_t max_file_bytes = 256LL << 20;
    std::int64_t max_depth = 32;                       // directories above a file
    std::int64_t url_lifetime_ms = 3'600'000;          // of a signed URL
    std::int64_t retention_ms = 7 * 86'400'000LL;      // from the end of the execution
    std::int64_t max_bytes_per_tenant = 10LL << 30;    // of all kept files; beyond it the oldest go
};

/// Bounds on executions, and on the data kept of ended ones.
struct execution_config {
    std::int64_t max_running = 4;                           // the rest wait in the queue; default 2 × cores, at least 4
    std::int64_t max_queued = 10'000;                       // beyond it: queue_full
    std::int64_t max_memory_bytes = 0;                      // reserved by all running executions; default 3/4 of the host's, 0: no bound
    std::int64_t groups_memory_bytes = 0;                   // used by all sandboxes together; 0: no bound. Not a setting
    std::int64_t disk_read_bytes_per_s = 256LL << 20;       // by all sandboxes together, from each disk of the host; 0: no bound
    std::int64_t disk_reads_per_s = 4'000;                  // the same
    std::int64_t tenant_max_running = 0;                    // of one tenant, unless `tenants` overrides it; 0: see places_of_tenant()
    std::int64_t tenant_max_queued = 2'500;                 // likewise
    std::int64_t max_waiting_bytes = 512LL << 20;           // programs, files and stdin of queued executions
    std::int64_t tenant_max_waiting_bytes = 128LL << 20;    // the same of one tenant
    std::int64_t max_waiting_clients = 4'096;               // requests that wait for an execution's end
    std::int64_t live_buffer_bytes = 1 << 20;               // newest output of a live execution kept in memory for viewers
    std::int64_t agent_lease_ms = 86'400'000;               // a sandbox without a server ends itself after this
    std::int64_t sweep_interval_ms = 60'000;                // between two sweeps for leftovers of crashes
    std::int64_t max_bytes_per_tenant = 10LL << 30;         // of ended executions: records, logs, inputs, outputs; 0: no bound
    bool remove_oldest = false;                             // beyond it: true removes the oldest; false refuses new executions
    std::int64_t retention_ms = 0;                          // from the end; 0: kept until deleted
};

/// The limits of one tenant.
struct tenant_config {
    std::int64_t weight = 1;                           // turns relative to other tenants with queued executions
    std::int64_t max_running = -1;                     // -1: executions.tenant_max_running
    std::int64_t max_queued = -1;                      // -1: executions.tenant_max_queued
    std::optional<std::vector<std::string>> images;    // that its skills may name; nothing: images.allowed
};

/// The login for one registry.
struct registry_config {
    std::string username;
    std::filesystem::path password_file;    // read before each pull; a trailing line end is dropped
};

/// Which images are allowed, how the engine gets them, and which host programs replace them in runtimes without images.
struct images_config {
    std::vector<std::string> allowed = {"python:3.12-slim", "python:3.11-slim", "node:20-slim", "node:18-slim", "bash:5"};    // exact names
    std::vector<std::string> host = {"python:3.12-slim=python3", "python:3.11-slim=python3", "node:20-slim=node", "node:18-slim=node",
        "bash:5=bash"};    // IMAGE=PROGRAM; PROGRAM is a name to look up, or a path
    std::vector<std::string> languages = {"python=python:3.12-slim", "javascript=node:20-slim", "bash=bash:5"};    // LANGUAGE=IMAGE
    std::string standard = "bash:5";          // for commands and shell lines that name no image; empty: they must name one
    std::vector<std::string> interpreters;    // IMAGE=PROGRAM: runs code in that image instead of the language's program
    std::string pull = "missing";             // missing, always, never
    std::int64_t max_pulls = 3;               // at once
    std::int64_t pull_timeout_ms = 1'800'000;
    std::int64_t stall_timeout_ms = 120'000;               // without progress in any layer of a pull
    std::vector<std::string> ensure;                       // fetched at start
    std::int64_t max_load_bytes = 8LL << 30;               // of an uploaded image
    std::map<std::string, registry_config> credentials;    // by registry: "registry.example"
};

/// Default and maximum limits of a skill's run, and bounds on packages.
struct skills_config {
    std::int64_t default_wall_ms = 120'000;
    std::int64_t max_wall_ms = 600'000;
    std::int64_t default_memory_bytes = 256LL << 20;
    std::int64_t max_input_bytes = 16LL << 20;         // of the request's input as JSON
    std::int64_t max_output_bytes = 1 << 20;           // of output.json
    std::int64_t max_package_bytes = 50LL << 20;       // as uploaded
    std::int64_t max_unpacked_bytes = 50LL << 20;      // all files of a package together, and each of them
    std::int64_t max_files = 500;                      // entries of a package
    std::int64_t max_uploads = 64;                     // at once; one tenant may have a quarter of them
    std::int64_t max_bytes_per_tenant = 10LL << 30;    // of packages
    std::int64_t max_packages_per_tenant = 100'000;    // all revisions
    std::int64_t max_skills_per_tenant = 10'000;
    std::int64_t max_versions_per_skill = 1'000;
    std::int64_t max_revisions_per_version = 20;    // beyond it the oldest content is removed
    std::int64_t cache_bytes = 2LL << 30;           // of unpacked packages
};

/// How long an Idempotency-Key is remembered, and how many per tenant.
struct idempotency_config {
    std::int64_t lifetime_ms = 86'400'000;
    std::int64_t max_keys_per_tenant = 100'000;
};

/// Notifications about ended executions, sent to addresses from requests.
struct webhook_config {
    bool allow_private = false;    // also to addresses of this host and of private networks
    std::int64_t attempts = 12;
    std::int64_t first_delay_ms = 15'000;    // before the second attempt; triples with each further one
    std::int64_t max_delay_ms = 21'600'000;
    std::int64_t timeout_ms = 10'000;    // of one attempt
    std::int64_t max_in_flight = 64;
    std::int64_t max_in_flight_per_tenant = 8;
    std::int64_t max_in_flight_per_receiver = 4;    // of one tenant
};

/// Sandboxes that are made in advance.
struct pool_config {
    bool enabled = true;
    std::int64_t idle = 2;                   // sandboxes of the default kind that are always kept ready
    std::int64_t max = 32;                   // ready at once
    std::int64_t max_bytes = 256LL << 20;    // estimated memory of all ready sandboxes
    std::int64_t max_put_off = 64;           // used sandboxes whose removal is deferred; not a setting
    bool warm_interpreters = true;           // keep a started Python in them, for Python programs
    std::vector<std::string> preload;        // modules that this Python imports in advance
};

struct bubblewrap_config {
    std::filesystem::path path = "/usr/bin/bwrap";
    std::string made_by = "auto";              // "auto": caisson-launch alone where possible, else bwrap; "bwrap": always bwrap
    std::int64_t uid_first = 1'879'048'192;    // host uids of sandboxes when the server is root; above systemd's
    std::int64_t uid_count = 65'536;
    std::int64_t max_prepared = 64;    // sandboxes whose directory, control groups and uid are made in advance
};

/// The container engine that the runtimes docker and gvisor use.
struct docker_config {
    std::string engine = "unix:///var/run/docker.sock";    // or tcp://HOST:PORT; with a ca_file over TLS
    std::filesystem::path ca_file;
    std::filesystem::path certificate_file;    // the server's own, with key_file
    std::filesystem::path key_file;
    std::string engine_runtime = "runc";
    std::string link = "auto";    // to agents: socket, stdio, or auto (what works on this host)
    std::string name_prefix = "caisson-";
    std::string user = "1000:1000";    // of programs, where sandboxes have no uids of their own
    std::string probe_image;           // for doctor's test; empty: an image without files, made for the test
};

struct gvisor_config {
    std::string engine_runtime = "runsc";
    std::string link = "auto";
};

/// What SIGTERM does to running sandboxes: keep them for the next start, or end them.
enum class shutdown_action { keep, end };

/// The whole configuration, checked and with defaults filled in. Made by app/config. One member for each
/// section, or setting without a section.
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
    /// For executions that name neither runtime nor image, while the default runtime cannot make sandboxes: the first that can is used.
    std::vector<std::string> fallback;
    bubblewrap_config bubblewrap;
    docker_config docker;
    gvisor_config gvisor;
    std::string cgroup_root;              // cgroup v2 parent of sandboxes' groups; see cgroup_tree_options::root. Empty: the default
    std::filesystem::path agent_path;     // caisson-agent; default beside the executable
    std::filesystem::path launch_path;    // caisson-launch; the same

    execution_config executions;
    pool_config pool;
    std::map<std::string, tenant_config> tenants;    // tenants with limits of their own, by name
    idempotency_config idempotency;
    images_config images;
    skills_config skills;
    artifacts_config artifacts;
    threads_config threads;
    storage_config disk;

    webhook_config webhooks;
    execution_limit_ranges limits;
    compile_limit_ranges compile;
    compile_cache_config compiled;
    http_config http;
};

}    // namespace caisson
