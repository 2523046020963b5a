#pragma once

#include "app/doors/http/call.hpp"
#include "core/threads/thread_service.hpp"

namespace caisson::http {

/// The checkpoint of a path.
struct named_checkpoint {
    thread_name thread;
    std::optional<checkpoint_id> id;    // empty: the latest
};

/// The path of a thread, with its name percent-encoded.
std::string thread_address(const thread_name& thread);

/// The thread of the path. Errors: errc::not_found if no thread can have that name.
result<thread_name> thread_of(const call& call);
/// The same for a thread that may be created. Errors: errc::bad_request.
result<thread_name> new_thread_of(const call& call);

}    // namespace caisson::http
