#pragma once

#include "app/doors/http/door.hpp"
#include "app/doors/http/response_cache.hpp"
#include "app/doors/http/services.hpp"
#include "app/doors/rest/threads/thread_call.hpp"
#include "app/wire/query.hpp"
#include "app/wire/thread_query.hpp"

#include <map>
#include <optional>
#include <vector>

namespace caisson::http {

/// Threads of checkpoints.
class threads_door : public door {
public:
    /// `services` outlive it.
    explicit threads_door(const api_services& services);
    std::span<const route> routes() const override { return routes_; }

private:
    // thread_file_routes.cpp
    task<> export_thread(call_ptr call);
    task<> import_thread(call_ptr call);
    // thread_routes.cpp
    task<> save_checkpoint(call_ptr call);
    task<> list_checkpoints(call_ptr call);
    task<> get_checkpoint(call_ptr call);
    task<> read_latest(call_ptr call, thread_name thread, response_cache::form form);
    task<> read_checkpoint(call_ptr call, named_checkpoint named, wire::checkpoint_parts parts);
    task<> get_checkpoint_state(call_ptr call);
    task<> delete_checkpoint(call_ptr call);
    task<> pin_checkpoint(call_ptr call);
    task<> unpin_checkpoint(call_ptr call);
    task<> set_pin(call_ptr call, bool pinned);
    task<> list_threads(call_ptr call);
    task<> get_thread(call_ptr call);
    task<> put_thread(call_ptr call);
    task<> delete_thread(call_ptr call);
    task<> roll_back_thread(call_ptr call);
    task<> branch_thread(call_ptr call);
    task<> diff_thread(call_ptr call);

    const api_services& use_;
    std::optional<response_cache> latest_;        // checkpoints, by their threads
    std::map<tenant_id, std::size_t> imports_;    // of threads, in progress
    std::vector<route> routes_;
};

}    // namespace caisson::http
