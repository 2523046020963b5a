#include "adapters/engine/engine_error.hpp"

#include "adapters/net/http_types.hpp"
#include "core/base/utf8.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>

namespace caisson::docker {

namespace {

constexpr std::size_t most_shown_bytes = 1000;

errc code_of(int status)
{
    switch (status) {
    case 401:
    case 403: return errc::forbidden;
    case 404: return errc::not_found;
    case 408: return errc::timed_out;
    case 409: return errc::conflict;
    case 429: return errc::runtime_unavailable;
    default: return status / 100 == 4 ? errc::bad_request : errc::runtime_unavailable;
    }
}

std::string message_in(std::string_view body)
{
    boost::system::error_code failed;
    const auto json = boost::json::parse(body, failed);
    const auto* const object = failed ? nullptr : json.if_object();
    const auto* const message = object == nullptr ? nullptr : object->if_contains("message");
    return std::string(message != nullptr && message->is_string() ? std::string_view(message->get_string()) : body);
}

/// `text` as one printable line: valid UTF-8, no control characters, at most most_shown_bytes.
std::string shown(std::string text)
{
    text.resize(std::min(text.size(), most_shown_bytes));
    text.resize(text.size() - incomplete_utf8_tail(text));
    text = to_valid_utf8(text);
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }, ' ');
    while (text.ends_with(' '))
        text.pop_back();
    return text;
}

}    // namespace

error engine_error(int status, std::string_view body)
{
    const auto message = shown(message_in(body));
    const auto answer = std::to_string(status) + " " + std::string(net::reason_phrase(status));
    return {code_of(status), message.empty() ? "the Docker engine answered " + answer : "the Docker engine says: " + message};
}

error not_an_engine(std::string_view why) { return {errc::runtime_unavailable, "what answers is no Docker engine: " + std::string(why)}; }

}    // namespace caisson::docker
