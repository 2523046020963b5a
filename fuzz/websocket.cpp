/// What a WebSocket client may send after the handshake, through the server's own stream over a socket pair: messages do not
/// depend on how the bytes are cut, keep their bounds, and what they say is checked as on the server's routes.
#include "adapters/net/websocket_stream.hpp"
#include "app/wire/client_frame.hpp"
#include "app/wire/event_frame.hpp"
#include "core/base/utf8.hpp"
#include "fuzz/fuzz.hpp"
#include "tests/support/fake_timers.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/json/parse.hpp>

#include <sys/socket.h>
#include <unistd.h>

namespace caisson {
namespace {

constexpr std::size_t max_message_bytes = 2'048;
constexpr std::size_t max_input_bytes = 64 << 10;

class silent_log : public logger {
public:
    void write(log_level, std::string_view, std::initializer_list<log_field>) noexcept override { }
};

struct session_result {
    std::vector<std::pair<net::message_kind, std::string>> messages;
    std::uint16_t close = 0;
    bool ended = false;
    bool operator==(const session_result&) const = default;
};

/// The server's side: all messages until the end, each answered.
task<> serve(std::unique_ptr<net::websocket> socket, session_result* got)
{
    for (auto message = co_await socket->receive(); message; message = co_await socket->receive()) {
        FUZZ_CHECK(message->data.size() <= max_message_bytes);
        FUZZ_CHECK(message->kind != net::message_kind::text || is_utf8(message->data));
        socket->send_text("{}");
        got->messages.emplace_back(message->kind, std::move(message->data));
    }
    FUZZ_CHECK(!socket->open());
    got->close = socket->peer_close_code();
    FUZZ_CHECK(is_utf8(socket->peer_close_reason()));
    got->ended = true;
}

task<> accept_and_serve(net::stream socket, net::websocket_host host, session_result* got)
{
    net::request handshake{.method = "GET", .target = "/v1/connect", .path = "/v1/connect"};
    handshake.fields = {{"Host", "h"}, {"Upgrade", "websocket"}, {"Connection", "Upgrade"}, {"Sec-WebSocket-Version", "13"},
        {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}};
    net::websocket_options options;
    options.max_message_bytes = max_message_bytes;
    options.max_inbox_messages = 4;
    net::headers nothing_more;
    auto opened =
        co_await net::accept_websocket(std::move(socket), std::move(handshake), std::move(nothing_more), std::move(options), host);
    FUZZ_CHECK(opened.has_value());
    co_await serve(std::move(*opened), got);
}

/// A connection whose other end is this program.
class session {
public:
    session() : time_(context_.get_executor()), tasks_(context_.get_executor(), log_)
    {
        int ends[2];
        FUZZ_CHECK(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
        peer_ = ends[0];
        net::any_socket socket(context_.get_executor());
        socket.assign(asio::generic::stream_protocol(AF_UNIX, 0), ends[1]);
        tasks_.spawn("server", accept_and_serve(net::stream(std::move(socket)), {&time_, &tasks_}, &got_));
        settle();
    }
    ~session()
    {
        ::close(peer_);
        asio::co_spawn(context_.get_executor(), tasks_.stop(), [](std::exception_ptr) { });
        settle();
        FUZZ_CHECK(tasks_.size() == 0);
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    /// False when the server does not listen any more.
    bool send(std::string_view bytes)
    {
        while (!bytes.empty()) {
            const auto sent = ::send(peer_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent < 0 && errno != EAGAIN)
                return false;
            bytes.remove_prefix(sent < 0 ? 0 : static_cast<std::size_t>(sent));
            settle();
        }
        return true;
    }
    session_result finish()
    {
        ::shutdown(peer_, SHUT_WR);
        settle();
        return std::move(got_);
    }

private:
    /// Until nothing moves: the server's handlers have run and this end took what they wrote.
    void settle()
    {
        bool moved = true;
        while (moved) {
            context_.restart();
            moved = context_.poll() > 0;
            char answer[4'096];
            while (::recv(peer_, answer, sizeof answer, 0) > 0)
                moved = true;
        }
    }

    silent_log log_;
    asio::io_context context_;
    testing::fake_timers time_;
    task_group tasks_;
    session_result got_;
    int peer_ = -1;
};

session_result run(std::string_view bytes, std::uint8_t cuts, std::size_t most)
{
    session one;
    fuzz::in_pieces(bytes, cuts, most, [&](std::string_view piece) { return one.send(piece); });
    return one.finish();
}

/// A text message as the routes take it.
void check_message(const std::string& text)
{
    static const execution_limit_ranges limits;
    static const language_catalog languages([](std::string_view name) { return "/usr/bin/" + std::string(name); });
    static const std::vector<std::string> runtimes{"bubblewrap"};
    const wire::wire_context context{&limits, &languages, "bubblewrap", &runtimes};
    for (const auto scope : {wire::frame_scope::stream, wire::frame_scope::connect}) {
        const auto parsed = wire::parse_client_frame(text, scope, context);
        if (parsed.frame.has_value())
            continue;
        const auto answer = wire::error_frame_json(parsed.frame.error(), parsed.ref);
        FUZZ_CHECK(is_utf8(answer) && boost::json::parse(answer).is_object());
    }
}

}    // namespace
}    // namespace caisson

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace caisson;
    fuzz::input in(data, size);
    const auto cuts = in.byte();
    if (in.rest().size() > max_input_bytes)
        return 0;
    const auto whole = run(in.rest(), 0, 1);
    FUZZ_CHECK(whole.ended);
    if (cuts != 0)
        FUZZ_CHECK(run(in.rest(), cuts, 16) == whole);
    for (const auto& [kind, text] : whole.messages)
        if (kind == net::message_kind::text)
            check_message(text);
    return 0;
}
