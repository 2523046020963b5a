#include "app/doors/rest/threads/threads_door.hpp"

#include "app/wire/thread_request.hpp"
#include "core/threads/thread_service.hpp"

namespace caisson::http {

threads_door::threads_door(const api_services& services) : use_(services)
{
    if (use_.threads != nullptr)
        latest_.emplace(use_.threads->changes());
    const auto state_bytes = static_cast<std::uint64_t>(use_.config.threads.max_state_bytes) / 3 * 4 + wire::most_beside_state;
    const auto thread_bytes = static_cast<std::uint64_t>(use_.config.threads.max_import_bytes);
    routes_ = {
        {"GET", "/v1/threads", scope::read, handler(this, &threads_door::list_threads), {.has_query = true}},
        {"GET", "/v1/threads/{thread}", scope::read, handler(this, &threads_door::get_thread)},
        {"PUT", "/v1/threads/{thread}", scope::run, handler(this, &threads_door::put_thread)},
        {"DELETE", "/v1/threads/{thread}", scope::run, handler(this, &threads_door::delete_thread)},
        {"POST", "/v1/threads/{thread}/checkpoints", scope::run, handler(this, &threads_door::save_checkpoint),
            {.body_bytes = state_bytes}},
        {"GET", "/v1/threads/{thread}/checkpoints", scope::read, handler(this, &threads_door::list_checkpoints), {.has_query = true}},
        {"GET", "/v1/threads/{thread}/checkpoints/{checkpoint}", scope::read, handler(this, &threads_door::get_checkpoint),
            {.has_query = true}},
        {"DELETE", "/v1/threads/{thread}/checkpoints/{checkpoint}", scope::run, handler(this, &threads_door::delete_checkpoint)},
        {"GET", "/v1/threads/{thread}/checkpoints/{checkpoint}/state", scope::read, handler(this, &threads_door::get_checkpoint_state)},
        {"PUT", "/v1/threads/{thread}/checkpoints/{checkpoint}/pin", scope::run, handler(this, &threads_door::pin_checkpoint)},
        {"DELETE", "/v1/threads/{thread}/checkpoints/{checkpoint}/pin", scope::run, handler(this, &threads_door::unpin_checkpoint)},
        {"POST", "/v1/threads/{thread}/rollback", scope::run, handler(this, &threads_door::roll_back_thread)},
        {"POST", "/v1/threads/{thread}/branch", scope::run, handler(this, &threads_door::branch_thread)},
        {"GET", "/v1/threads/{thread}/diff", scope::read, handler(this, &threads_door::diff_thread), {.has_query = true}},
        {"GET", "/v1/threads/{thread}/export", scope::read, handler(this, &threads_door::export_thread)},
        {"POST", "/v1/threads/{thread}/import", scope::run, handler(this, &threads_door::import_thread),
            {.body_bytes = thread_bytes, .body = net::body_mode::streamed}},
    };
}

}    // namespace caisson::http
