/// usage: bench-ws-viewer --ready FILE --body FILE --measure latency|throughput
///        bench-ws-viewer --relay PORT --measure latency|throughput
/// Starts a run over /v1/connect (or connects to bench-ws-relay, which starts its program itself) and reads what it prints as
/// binary frames until its end. latency: the output is bench-stamp's; one sample a line, from write(2) to the frame here.
/// throughput: counts the bytes from the first frame to the last. Each byte must come once and in order, or be reported missing.
#include "bench/arguments.hpp"
#include "bench/report.hpp"
#include "bench/server_address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>
#include <string_view>

namespace caisson::bench {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace json = boost::json;
namespace websocket = beast::websocket;

/// What was seen of the one stream.
class viewing {
public:
    explicit viewing(bool stamps) : stamps_(stamps) { }

    void take(std::string_view bytes)
    {
        const auto now = now_ns();
        first_ns_ = first_ns_ == 0 ? now : first_ns_;
        last_ns_ = now;
        ++frames_;
        shown_bytes_ += bytes.size();
        end_ += bytes.size();
        if (stamps_)
            take_stamps(bytes, now);
    }
    void take_at(std::uint64_t offset, std::string_view bytes)
    {
        check_place(offset);
        take(bytes);
    }
    /// A part that is not kept; what of it was shown live before was not missed.
    void skip(std::uint64_t offset, std::uint64_t missing)
    {
        if (offset > end_)
            check_place(offset);
        const auto end = std::max(end_, offset + missing);
        missing_bytes_ += end - end_;
        end_ = end;
    }
    /// The stream's end, as the server states it.
    void end_at(std::uint64_t end) const { check_place(end); }

    json::object summary() const
    {
        return {{"shown_bytes", shown_bytes_}, {"missing_bytes", missing_bytes_}, {"frames", frames_}, {"wall_ns", last_ns_ - first_ns_}};
    }
    const samples_ns& samples() const { return samples_; }

private:
    void check_place(std::uint64_t offset) const
    {
        if (offset != end_)
            throw std::runtime_error("the stream goes on at " + std::to_string(offset) + ", not at " + std::to_string(end_));
    }
    void take_stamps(std::string_view bytes, std::int64_t now)
    {
        rest_ += bytes;
        std::size_t at = 0;
        for (auto line = rest_.find('\n'); line != std::string::npos; line = rest_.find('\n', at)) {
            std::int64_t written = 0;
            std::from_chars(rest_.data() + at, rest_.data() + line, written);
            samples_.push_back(now - written);
            at = line + 1;
        }
        rest_.erase(0, at);
    }

    bool stamps_;
    std::int64_t first_ns_ = 0;
    std::int64_t last_ns_ = 0;
    std::uint64_t frames_ = 0;
    std::uint64_t shown_bytes_ = 0;
    std::uint64_t missing_bytes_ = 0;
    std::uint64_t end_ = 0;
    std::string rest_;
    samples_ns samples_;
};

/// A WebSocket read one message at a time.
class ws_client {
public:
    ws_client(const server_address& server, const std::string& target) : socket_(context_)
    {
        beast::get_lowest_layer(socket_).connect(server.endpoint);
        beast::get_lowest_layer(socket_).set_option(asio::ip::tcp::no_delay(true));
        if (!server.authorization.empty())
            socket_.set_option(websocket::stream_base::decorator(
                [key = server.authorization](websocket::request_type& request) { request.set(beast::http::field::authorization, key); }));
        socket_.handshake(server.host, target);
    }

    void send(const std::string& text)
    {
        socket_.text(true);
        socket_.write(asio::buffer(text));
    }
    /// The next message, valid until the next call; false at the peer's close.
    bool receive(std::string_view& message, bool& is_text)
    {
        buffer_.clear();
        beast::error_code failed;
        socket_.read(buffer_, failed);
        if (failed == websocket::error::closed)
            return false;
        if (failed)
            throw beast::system_error(failed);
        message = {static_cast<const char*>(buffer_.data().data()), buffer_.size()};
        is_text = socket_.got_text();
        return true;
    }

private:
    asio::io_context context_;
    websocket::stream<asio::ip::tcp::socket, false> socket_;    // without compression
    beast::flat_buffer buffer_;
};

std::string run_frame(const std::string& body)
{
    auto frame = json::parse(body).as_object();
    frame["type"] = "run";
    frame["ref"] = "bench";
    return json::serialize(frame);
}

/// A frame of protocol version 1: stream, reference number, offset, big endian, then the bytes.
void take_binary(std::string_view frame, viewing& out)
{
    constexpr std::size_t offset_at = 5;
    constexpr std::size_t header_bytes = 13;
    if (frame.size() < header_bytes || frame[0] != 1)
        throw std::runtime_error("a binary frame that is not of standard output");
    std::uint64_t offset = 0;
    for (std::size_t i = offset_at; i < header_bytes; ++i)
        offset = offset << 8 | static_cast<unsigned char>(frame[i]);
    out.take_at(offset, frame.substr(header_bytes));
}

/// False after the exit event.
bool take_event(std::string_view text, viewing& out)
{
    const auto event = json::parse(text).as_object();
    const auto kind = event.at("kind").as_string();
    if (kind == "truncated")
        out.skip(event.at("offset").to_number<std::uint64_t>(), event.at("missing_bytes").to_number<std::uint64_t>());
    if (kind != "exit" && kind != "error")
        return true;
    if (kind == "error" || event.at("status").as_string() != "success")
        throw std::runtime_error(std::string(text));
    out.end_at(event.at("usage").at("output_bytes").to_number<std::uint64_t>());
    return false;
}

void view_server(const arguments& given, viewing& out)
{
    ws_client client(read_ready_file(given.text("ready")), "/v1/connect?frames=binary");
    client.send(run_frame(read_file(given.text("body"))));
    std::string_view message;
    bool is_text = false;
    bool more = true;
    while (more && client.receive(message, is_text)) {
        if (is_text)
            more = take_event(message, out);
        else
            take_binary(message, out);
    }
    if (more)
        throw std::runtime_error("the connection ended before the run");
}

void view_relay(std::uint16_t port, viewing& out)
{
    ws_client client(loopback(port), "/");
    std::string_view message;
    bool is_text = false;
    while (client.receive(message, is_text))
        out.take(message);
}

void measure(const arguments& given)
{
    viewing out(given.text("measure") == "latency");
    if (given.has("relay"))
        view_relay(static_cast<std::uint16_t>(given.count("relay", 0)), out);
    else
        view_server(given, out);
    print_report(out.summary(), out.samples());
}

}    // namespace

}    // namespace caisson::bench

int main(int argc, char** argv) { return caisson::bench::run_main(argc, argv, caisson::bench::measure); }
