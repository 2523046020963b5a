#include "adapters/net/session_exchange.hpp"

#include "adapters/net/websocket_stream.hpp"
#include "core/base/base64.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace caisson::net {

namespace {

constexpr std::size_t most_at_once = 64 << 10;    // the largest response sent without suspending

bool has_no_body(int status) { return status / 100 == 1 || status == 204 || status == 304; }

/// Why the request is not a valid WebSocket handshake (RFC 6455 section 4.2.1); empty if it is.
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

/// Sends a body with a known length; else chunked for HTTP/1.1, plain for HTTP/1.0; nothing for HEAD.
class session_exchange::writer final : public stream_writer {
public:
    enum class form { sized, chunked, plain, nothing };

    writer(session_exchange& of, form how, std::uint64_t length) : of_(of), form_(how), left_(length) { }
    ~writer() override
    {
        if (!of_.finished_)
            of_.link_.close();
    }

    task<bool> write(std::string_view bytes) override
    {
        if (bytes.empty() || form_ == form::nothing)
            co_return !of_.link_.broken();
        if (form_ == form::sized) {
            if (bytes.size() > left_)
                throw std::logic_error("the answer is longer than its Content-Length");
            left_ -= bytes.size();
        }
        if (form_ != form::chunked)
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
        if (form_ == form::sized && left_ > 0)
            co_return of_.link_.close();
        if (form_ == form::chunked)
            co_await of_.link_.write("0\r\n\r\n");
        of_.finished_ = true;
    }

private:
    session_exchange& of_;
    form form_;
    std::uint64_t left_;    // bytes left, if sized
};

request_body& session_exchange::body()
{
    if (streamed_)
        return *streamed_;
    return none_;
}

void session_exchange::begin(const headers& fields)
{
    if (begun_)
        throw std::logic_error("this request has been answered");
    begun_ = true;
    const bool unread = streamed_ && !streamed_->drop_what_came();
    keep_ = keep_ && !unread && head_.keep_alive && !draining() && !fields.has_token("Connection", "close");
}

std::string session_exchange::head_text(response& answer, std::string_view framing_field) const
{
    for (const auto* ours : {"Connection", "Content-Length", "Transfer-Encoding", "X-Request-Id"})
        answer.fields.erase(ours);
    link_.server().answers.complete(head_.request, answer.fields);
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
        append_field(length, "Content-Length", std::to_string(answer.content().size()));
    const auto head = head_text(answer, length);
    const auto body = empty || to_head ? std::string_view() : answer.content();
    // Sends directly: suspending costs as much as the rest of a small response. With pipelined requests in the input it suspends,
    // so that other connections run between the responses.
    const auto all = head.size() + body.size();
    const auto sent = link_.input().empty() && all <= most_at_once ? link_.write_now(head, body) : 0;
    const auto of_head = std::min(sent, head.size());
    if (sent < all)
        co_await link_.write(std::string_view(head).substr(of_head), body.substr(sent - of_head));
    finished_ = true;
}

namespace {

/// The handler's Content-Length. Throws std::logic_error if malformed.
std::optional<std::uint64_t> announced_length(const headers& fields)
{
    const auto field = fields.find("Content-Length");
    if (!field)
        return std::nullopt;
    std::uint64_t out = 0;
    const auto* const end = field->data() + field->size();
    const auto [stopped, failed] = std::from_chars(field->data(), end, out);
    if (failed != std::errc() || stopped != end)
        throw std::logic_error("an answer's Content-Length is not a number");
    return out;
}

}    // namespace

task<std::unique_ptr<stream_writer>> session_exchange::begin_stream(response head)
{
    using form = writer::form;
    const auto length = announced_length(head.fields);
    begin(head.fields);
    auto how = length ? form::sized : head_.minor_version == 0 ? form::plain : form::chunked;
    const bool empty = has_no_body(head.status);
    std::string framing;
    if (length && !empty)
        append_field(framing, "Content-Length", std::to_string(*length));
    else if (how == form::chunked && !empty)
        framing = "Transfer-Encoding: chunked\r\n";
    if (empty || head_.request.method == "HEAD")
        how = form::nothing;
    keep_ = keep_ && how != form::plain;
    const auto text = head_text(head, framing);
    auto out = std::make_unique<writer>(*this, how, length.value_or(0));
    co_await link_.write(text);
    co_return out;
}

task<result<std::unique_ptr<websocket>>> session_exchange::upgrade(websocket_options options)
{
    if (const auto fault = handshake_fault(head_); !fault.empty())
        co_return error{errc::bad_request, std::string(fault)};
    if (!link_.input().empty() || (streamed_ && !streamed_->complete())) {
        keep_ = false;    // the bytes may be WebSocket frames: never parse them as requests
        co_return error{errc::bad_request, "data followed the WebSocket handshake before its answer"};
    }
    begin({});
    finished_ = true;
    keep_ = false;
    auto& server = link_.server();
    headers extra{{"X-Request-Id", head_.request.request_id}};
    const websocket_host host{&server.time, server.tasks, server.messages, server.looked_after};
    co_return co_await accept_websocket(link_.take_stream(), head_.request, std::move(extra), std::move(options), host);
}

}    // namespace caisson::net
