#pragma once

#include "app/doors/http/door.hpp"
#include "app/doors/http/response_cache.hpp"
#include "app/doors/http/services.hpp"
#include "app/wire/query.hpp"

#include <cstddef>
#include <vector>

namespace caisson::http {

/// Executions: their creation, alone and in batches, their records, input, output, logs and streams.
class executions_door : public door {
public:
    /// `services` outlive it.
    explicit executions_door(const api_services& services);
    std::span<const route> routes() const override { return routes_; }

private:
    // batch_route.cpp
    task<> create_batch(call_ptr call);
    // create_route.cpp
    task<> create_execution(call_ptr call);
    task<> answer_accepted(call_ptr call, execution_row row);
    task<> answer_when_ended(call_ptr call, execution_row row, bool cancel_on_disconnect);
    task<> answer_ended(call_ptr call, execution_row row, result<std::unique_ptr<log_reader>> log);
    // executions_routes.cpp
    task<> list_executions(call_ptr call);
    task<> get_execution(call_ptr call);
    task<> read_execution(call_ptr call, execution_id id, wire::get_query query);
    task<> delete_execution(call_ptr call);
    task<> cancel_execution(call_ptr call);
    task<> signal_execution(call_ptr call);
    task<> write_stdin(call_ptr call);
    // log_routes.cpp
    task<> get_logs(call_ptr call);
    task<> get_events(call_ptr call);
    // payload_routes.cpp
    task<> get_input(call_ptr call);
    task<> get_output(call_ptr call);
    // stream_routes.cpp
    task<> stream_execution(call_ptr call);
    task<> connect(call_ptr call);

    const api_services& use_;
    response_cache ended_;    // executions that have ended
    std::size_t waiting_clients_ = 0;
    std::vector<route> routes_;
};

}    // namespace caisson::http
