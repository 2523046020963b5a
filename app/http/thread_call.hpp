#pragma once

#include "app/http/call.hpp"
#include "core/threads/thread_service.hpp"

namespace caisson::http {

/// What a path names.
struct named_checkpoint {
    thread_name thread;
    std::optional<checkpoint_id> id;    // nothing: the latest
};

/// Where the thread is found: a path, with the name percent-encoded.
std::string thread_address(const thread_name& thread);

/// The thread of the path. Errors: errc::not_found where none can have that name.
result<thread_name> thread_of(const call& one);
/// The same of one that may be made. Errors: errc::bad_request.
result<thread_name> new_thread_of(const call& one);

}    // namespace caisson::http
