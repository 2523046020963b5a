#include "app/doors/rest/threads/thread_call.hpp"

#include "adapters/net/percent.hpp"
#include "core/threads/rules.hpp"

namespace caisson::http {

std::string thread_address(const thread_name& thread) { return "/v1/threads/" + net::percent_encode(thread.str()); }

result<thread_name> thread_of(const call& call)
{
    const auto text = call.capture("thread");
    if (check_thread_name(text))
        return error{errc::not_found, "there is no such thread"};
    return thread_name(std::string(text));
}

result<thread_name> new_thread_of(const call& call)
{
    const auto text = call.capture("thread");
    if (auto wrong = check_thread_name(text)) {
        auto detail = "thread " + wrong->message;
        return error{errc::bad_request, std::move(detail), {std::move(*wrong)}};
    }
    return thread_name(std::string(text));
}

}    // namespace caisson::http
