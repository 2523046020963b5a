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

/// Where the server is and with what key it is spoken to.
struct server_access {
    net::url address;
    secret key;
    std::string key_hint;                  // what to do if the server wants another key
    std::filesystem::path ca_file = {};    // of https; empty: the system's
};

/// The address of `options`; the key of CAISSON_API_KEY, or for a server on this machine the one in admin.key. The local
/// key is never sent elsewhere. Errors: errc::bad_request for an address that cannot be used.
result<server_access> resolve_access(const client_options& options, const std::map<std::string, std::string>& environment);

/// JSON that may be nested as deep as outputs of skills. Throws boost::system::system_error if it is none.
boost::json::value parse_deep(std::string_view text);

/// The server's API as JSON. I/O thread only. Errors: those of the answer's slug with its message; those of net::client.
class api_client {
public:
    /// `time` must outlive it.
    api_client(io_executor executor, timers& time, server_access access);

    task<result<boost::json::value>> get(std::string target);
    /// As get(), the JSON as the server wrote it.
    task<result<std::string>> get_text(std::string target);
    struct content {
        std::string bytes;
        std::string media_type;
    };
    /// What is there, whatever it is.
    task<result<content>> get_content(std::string target);
    task<result<boost::json::value>> post(std::string target, boost::json::value body);
    /// As post(), under an Idempotency-Key, and again and again for up to a minute if the answer got lost on the way: the
    /// connection broke, or the server ended meanwhile. A server that was never there is not waited for.
    task<result<boost::json::value>> post_once(std::string target, boost::json::value body, std::string idempotency_key);
    /// The same for a body that is JSON already.
    task<result<boost::json::value>> post_text_once(std::string target, std::string body, std::string idempotency_key);
    task<result<boost::json::value>> remove(std::string target);
    /// PUT without a body.
    task<result<boost::json::value>> put(std::string target);

    /// A page of a list that is a bare array.
    struct page {
        boost::json::value body;
        std::string next_cursor;    // X-Next-Cursor; empty: it is the last
    };
    task<result<page>> get_page(std::string target);

    /// Told how many bytes went over.
    using progress = std::function<void(std::uint64_t done_bytes)>;
    /// POST with the bytes of `body`, which outlives the call.
    task<result<boost::json::value>> upload(std::string target, std::string content_type, net::body_source* body, progress told);
    /// GET of a body that is given to `to` as it comes. Errors: also what `to` gives.
    task<result<void>> download(std::string target, net::body_sink to, progress told);

    task<result<std::unique_ptr<net::websocket>>> connect(std::string target);
    task<result<std::unique_ptr<net::body_reader>>> open_lines(std::string target);
    /// The same of a POST.
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
