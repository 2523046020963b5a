#include "core/adapters/net/session_exchange.hpp"

#include "core/adapters/net/websocket_stream.hpp"
#include "core/base/base64.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace caisson::net {

namespace {

bool has_no_body(int status) { return status / 100 == 1 || status == 204 || status == 304; }

/// Why this request is no WebSocket handshake (RFC 6455 section 4.2.1); empty if it is one.
std::string_view handshake_fault(const request_head& head)
{
    const auto& fields = head.request.fields;
    if (head.request.method != "GET" || head.minor_version == 0)
        return "a WebSocket begins with GET over HTTP/1.1";
    if (!fields.has_token("Upgrade", "websocket") || !fields.has_token("Connection", "upgrade"))
        return "this is a WebSocket: send 'Connection: Upgrade' and 'Upgrade: websocket'";
    if (fields.find("Sec-WebSocket-Version") != "13")
        return "Sec-WebSocket-Version must be 13";
    const auto key = base64_decode(fields.find("Sec-WebSocket-Key").value_or(""));
    if (!key || key->size() != 16 || fields.count("Sec-WebSocket-Key") != 1)
        return "Sec-WebSocket-Key must be the base64 of 16 bytes";
    return {};
}

}    // namespace

/// Chunked for HTTP/1.1, plain for HTTP/1.0, nothing for HEAD.
class session_exchange::writer final : public stream_writer {
public:
    enum class form { chunked, plain, nothing };

    writer(session_exchange& of, form how) : of_(of), form_(how) { }
    ~writer() override
    {
        if (!of_.finished_)
            of_.link_.close();
    }

    task<bool> write(std::string_view bytes) override
    {
        if (bytes.empty() || form_ == form::nothing)
            co_return !of_.link_.broken();
        if (form_ == form::plain)
            co_return co_await of_.link_.write(bytes);
        std::array<char, 20> size{};
        auto* const end = std::to_chars(size.data(), size.data() + 16, bytes.size(), 16).ptr;
        end[0] = '\r';
        end[1] = '\n';
        co_return co_await of_.link_.write(std::string_view(size.data(), end + 2), bytes, "\r\n");
    }

    task<> finish() override
    {
        if (of_.finished_)
            co_return;
        if (form_ == form::chunked)
            co_await of_.link_.write("0\r\n\r\n");
        of_.finished_ = true;
    }

private:
    session_exchange& of_;
    form form_;
};

void session_exchange::begin(const headers& fields)
{
    if (begun_)
        throw std::logic_error("this request has been answered");
    begun_ = true;
    keep_ = keep_ && head_.keep_alive && !draining() && !fields.has_token("Connection", "close");
}

std::string session_exchange::head_text(response& answer, std::string_view framing_field) const
{
    for (const auto* ours : {"Connection", "Content-Length", "Transfer-Encoding", "X-Request-Id"})
        answer.fields.erase(ours);
    auto out = serialize_response_head(answer.status, head_.minor_version, answer.fields, framing_field.size() + 192);
    out += framing_field;
    append_field(out, "X-Request-Id", head_.request.request_id);
    if (!keep_)
        out += "Connection: close\r\n";
    else if (head_.minor_version == 0)
        out += "Connection: keep-alive\r\n";
    out += "\r\n";
    return out;
}

task<> session_exchange::respond(response answer)
{
    begin(answer.fields);
    const bool empty = has_no_body(answer.status);
    const bool to_head = head_.request.method == "HEAD";
    std::string length;
    if (const auto given = answer.fields.find("Content-Length"); to_head && given)
        append_field(length, "Content-Length", *given);
    else if (!empty)
        append_field(length, "Content-Length", std::to_string(answer.body.size()));
    const auto head = head_text(answer, length);
    const std::string_view body = empty || to_head ? std::string_view() : std::string_view(answer.body);
    co_await link_.write(head, body);
    finished_ = true;
}

task<std::unique_ptr<stream_writer>> session_exchange::begin_stream(response head)
{
    using form = writer::form;
    begin(head.fields);
    auto how = form::chunked;
    if (head_.request.method == "HEAD" || has_no_body(head.status))
        how = form::nothing;
    else if (head_.minor_version == 0)
        how = form::plain;
    keep_ = keep_ && how != form::plain;
    const auto text = head_text(head, head_.minor_version == 0 || has_no_body(head.status) ? "" : "Transfer-Encoding: chunked\r\n");
    auto out = std::make_unique<writer>(*this, how);
    co_await link_.write(text);
    co_return out;
}

task<result<std::unique_ptr<websocket>>> session_exchange::upgrade(websocket_options options)
{
    if (const auto fault = handshake_fault(head_); !fault.empty())
        co_return error{errc::bad_request, std::string(fault)};
    if (!link_.input().empty()) {
        keep_ = false;    // it may be WebSocket frames: never read as requests
        co_return error{errc::bad_request, "data followed the WebSocket handshake before its answer"};
    }
    begin({});
    finished_ = true;
    keep_ = false;
    auto& server = link_.server();
    headers extra{{"X-Request-Id", head_.request.request_id}};
    const websocket_host host{&server.time, server.tasks, server.messages};
    co_return co_await accept_websocket(link_.take_stream(), head_.request, std::move(extra), std::move(options), host);
}

std::size_t session_exchange::share_bytes() const
{
    constexpr std::uint64_t least = 16 << 10;
    constexpr std::uint64_t most = 4 << 20;
    const auto& server = link_.server();
    return static_cast<std::size_t>(std::clamp(server.options.max_streams_bytes / std::max<std::uint64_t>(1, server.size()), least, most));
}

task<> session_exchange::drain_begun()
{
    auto& server = link_.server();
    while (!server.draining) {
        const auto seen = server.drain.version();
        co_await server.drain.wait_past(seen);
    }
}

}    // namespace caisson::net
