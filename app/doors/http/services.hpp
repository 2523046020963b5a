#pragma once

#include "app/doors/http/origins.hpp"
#include "app/wire/execution_request.hpp"
#include "app/wire/service_view.hpp"
#include "core/async/timers.hpp"
#include "core/auth/auth_service.hpp"
#include "core/auth/key_watch.hpp"
#include "core/auth/tickets.hpp"
#include "core/base/config.hpp"
#include "core/base/log.hpp"
#include "core/exec/execution_service.hpp"
#include "core/files/ports.hpp"
#include "core/languages/languages.hpp"
#include "core/runtime/ports.hpp"
#include "core/webhooks/ports.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace caisson {

class fair_workers;
class image_service;
class skill_runs;
class url_signer;
class worker_pool;
class skill_service;
class skill_trees;
class thread_service;

}    // namespace caisson

namespace caisson::http {

class storage_watch;

/// The services that the routes use. All outlive the api. They are many because each door takes from here what its nouns need.
struct api_services {
    io_executor executor;
    timers& time;
    logger& log;
    execution_service& executions;
    auth_service& auth;
    ticket_office& tickets;
    key_watch& keys;
    language_catalog& languages;
    std::vector<runtime*> runtimes;
    const server_config& config;
    wire::wire_context wire;
    digest_function digest = nullptr;                                     // fingerprints of requests with an Idempotency-Key
    storage_watch* storage = nullptr;                                     // for GET /ready; null: not reported
    std::function<std::optional<wire::dependency>()> certificate = {};    // state of the TLS certificate; empty or not set: no TLS
    std::function<std::string()> long_turns = {};                         // long I/O turns, as a sentence; empty or not set: none
    skill_service* registry = nullptr;                                    // the skill registry
    skill_runs* skills = nullptr;                                         // null: no skill can be run
    skill_trees* trees = nullptr;                                         // unpacked skill packages; null: none
    artifact_store* artifacts = nullptr;                                  // null, like the next three: no files are kept
    content_store* contents = nullptr;
    url_signer* signer = nullptr;
    worker_pool* work = nullptr;             // packs archives, reads skill files
    fair_workers* texts = nullptr;           // parse large requests and write large answers; null: the I/O thread does both
    webhook_store* webhooks = nullptr;       // null: no webhooks are sent
    skill_store* skill_records = nullptr;    // for GET /v1/stats
    image_service* images = nullptr;
    thread_service* threads = nullptr;
    std::function<task<result<tenant_id>>(std::string name)> tenant_called = {};    // finds the tenant or records it
    origins pages{config};                                                          // which pages may use the server, and the server's URL
};

}    // namespace caisson::http
