#pragma once

#include "app/wire/execution_request.hpp"
#include "app/wire/service_view.hpp"
#include "core/async/timers.hpp"
#include "core/auth/auth_service.hpp"
#include "core/auth/tickets.hpp"
#include "core/base/config.hpp"
#include "core/base/log.hpp"
#include "core/exec/execution_service.hpp"
#include "core/exec/languages.hpp"
#include "core/runtime/ports.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace caisson::http {

class storage_watch;

/// What the routes answer from. Everything outlives the api.
struct api_services {
    io_executor executor;
    timers& time;
    logger& log;
    execution_service& executions;
    auth_service& auth;
    ticket_office& tickets;
    language_catalog& languages;
    std::vector<runtime*> runtimes;
    const server_config& config;
    wire::wire_context wire;
    digest_function digest = nullptr;                                     // fingerprints of what came under an Idempotency-Key
    storage_watch* storage = nullptr;                                     // for GET /ready; null: not told
    std::function<std::optional<wire::dependency>()> certificate = {};    // of TLS; nothing, or not set: plain
};

}    // namespace caisson::http
