#pragma once

#include "adapters/net/server.hpp"
#include "app/doors/http/api.hpp"
#include "app/doors/http/storage_watch.hpp"
#include "app/server/domain.hpp"
#include "app/server/transport.hpp"
#include "core/fairness/fair_workers.hpp"
#include "core/fairness/io_turns.hpp"

#include <cstddef>
#include <optional>

namespace caisson {

/// How a server is asked: the doors, and the HTTP server before them. Its members use those before them.
struct front {
    /// `domain` outlives it.
    explicit front(domain& domain);

    domain& parts;
    http::storage_watch storage_state;
    http::api api;
    worker_pool texts{"caisson-texts", text_threads};    // their jobs use the members above
    io_turns tenant_turns{parts.base.context.get_executor()};
    fair_workers large_texts{parts.base.context.get_executor(), texts, text_threads, &tenant_turns};
    net::server http;
    caisson::transport transport;

private:
    static constexpr std::size_t text_threads = 2;

    http::api_services api_services();
    std::optional<wire::dependency> certificate() const;
};

}    // namespace caisson
