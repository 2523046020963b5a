#pragma once

#include "adapters/net/client.hpp"
#include "app/cli/command_line.hpp"
#include "core/base/secret.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace caisson::cli {

/// The server's address and the key to present.
struct server_access {
    net::url address;
    secret key;
    std::string key_hint;                  // advice if the server refuses the key
    std::filesystem::path ca_file = {};    // for https; empty: the system's
};

/// The address from `options`. The key is CAISSON_API_KEY, or for a server on this machine the key in admin.key, which is sent to no other
/// host. Errors: errc::bad_request for an invalid address.
result<server_access> resolve_access(const client_options& options, const std::map<std::string, std::string>& environment);

/// Parses JSON nested as deep as a skill's output in its record. Throws boost::system::system_error if `text` is not JSON.
boost::json::value parse_deep(std::string_view text);

/// Client of the server's API. I/O thread only. Errors: the code and message of the server's error body; those of net::client.
class api_client {
public:
    /// `time` must outlive it.
    api_client(io_executor executor, timers& time, server_access access);

    task<result<boost::json::value>> get(std::string target);
    /// Like get(), but returns the JSON text as the server wrote it.
    task<result<std::string>> get_text(std::string target);
    struct content {
        std::string bytes;
        std::string media_type;
    };
    /// GET of a body of any media type.
    task<result<content>> get_content(std::string target);
    task<result<boost::json::value>> post(std::string target, boost::json::value body);
    /// Like post(), with an Idempotency-Key. Sends the request again for up to a minute if the answer was lost: the connection broke or the
    /// server ended. A server that was never reached is not retried.
    task<result<boost::json::value>> post_once(std::string target, boost::json::value body, std::string idempotency_key);
    /// The same for a body that is JSON text already.
    task<result<boost::json::value>> post_text_once(std::string target, std::string body, std::string idempotency_key);
    task<result<boost::json::value>> remove(std::string target);
    /// PUT without a body.
    task<result<boost::json::value>> put(std::string target);

    /// A page of a list whose body is a bare array.
    struct page {
        boost::json::value body;
        std::string next_cursor;    // X-Next-Cursor; empty: the last page
    };
    task<result<page>> get_page(std::string target);

    /// Called with the bytes transferred so far.
    using progress = std::function<void(std::uint64_t done_bytes)>;
    /// POST with the bytes of `body`, which outlives the call.
    task<result<boost::json::value>> upload(std::string target, std::string content_type, net::body_source* body, progress told);
    /// GET of a body that is passed to `to` as it arrives. Errors: also those of `to`.
    task<result<void>> download(std::string target, net::body_sink to, progress told);

    task<result<std::unique_ptr<net::websocket>>> connect(std::string target);
    task<result<std::unique_ptr<net::body_reader>>> open_lines(std::string target);
    /// The same with a POST.
    task<result<std::unique_ptr<net::body_reader>>> post_lines(std::string target, boost::json::value body);

    std::string address() const { return access_.address.str(); }

private:
    task<result<boost::json::value>> call(net::request what);
    task<result<net::response>> send(net::request what);
    task<result<std::unique_ptr<net::body_reader>>> read_lines(net::request what);
    result<boost::json::value> read(const net::response& answer) const;
    net::headers common_fields() const;
    error told(error what) const;
    error refusal(int status, const std::string& body) const;

    timers& time_;
    server_access access_;
    net::client client_;
};

}    // namespace caisson::cli
