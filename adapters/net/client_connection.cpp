#include "adapters/net/client_connection.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

#include <netinet/tcp.h>

#include <array>

namespace caisson::net {

namespace {

constexpr std::size_t max_fields = 1000;
constexpr std::size_t max_input_bytes = 128 * 1024;

/// Enables TCP keepalive: a vanished peer is detected within two minutes, also while only reading.
void watch_peer(tcp_socket& socket)
{
    using idle_s = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
    using interval_s = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
    using probes = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPCNT>;
    boost::system::error_code ignored;
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    socket.set_option(idle_s(60), ignored);
    socket.set_option(interval_s(15), ignored);
    socket.set_option(probes(4), ignored);
}

error not_http(const refusal& why)
{
    return {why.code == errc::too_large ? errc::too_large : errc::bad_request, "the answer is refused: " + why.message};
}

task<result<std::vector<tcp::endpoint>>> resolve(url server)
{
    boost::system::error_code failed;
    std::vector<tcp::endpoint> out;
    const auto literal = asio::ip::make_address(server.host, failed);
    if (!failed) {
        out.emplace_back(literal, server.port);
        co_return out;
    }
    const auto executor = co_await asio::this_coro::executor;
    asio::ip::basic_resolver<tcp, io_executor> resolver(executor);
    const auto found = co_await resolver.async_resolve(server.host, std::to_string(server.port), asio::redirect_error(use_task, failed));
    throw_if_cancelled(failed);
    if (failed)
        co_return error{errc::runtime_unavailable, "the name '" + server.host + "' stands for no address: " + failed.message()};
    for (const auto& each : found)
        out.push_back(each.endpoint());
    co_return out;
}

std::vector<tcp::endpoint> endpoints_of(const std::vector<asio::ip::address>& addresses, std::uint16_t port)
{
    std::vector<tcp::endpoint> out;
    for (const auto& each : addresses)
        out.emplace_back(each, port);
    return out;
}

task<result<std::vector<tcp::endpoint>>> find_endpoints(url server, address_finder addresses)
{
    if (!addresses)
        co_return co_await resolve(std::move(server));
    auto found = co_await addresses(server.host);
    if (found.has_error())
        co_return found.error();
    co_return endpoints_of(*found, server.port);
}

headers fields_to_send(const request& what, const url& server, std::uint64_t body_bytes)
{
    headers out{{"Host", server.authority()}};
    for (const auto& field : what.fields) {
        if (!equal_no_case(field.name, "Host") && !equal_no_case(field.name, "Content-Length"))
            out.add(field.name, field.value);
    }
    if (body_bytes > 0 || what.method == "POST" || what.method == "PUT" || what.method == "PATCH")
        out.add("Content-Length", std::to_string(body_bytes));
    return out;
}

}    // namespace

void throw_if_cancelled(const boost::system::error_code& failed)
{
    if (failed == asio::error::operation_aborted)
        throw boost::system::system_error(failed);
}

namespace {

error cannot_connect(const url& server, const boost::system::error_code& why)
{
    return {errc::runtime_unavailable, "cannot connect to " + server.str() + ": " + why.message() + ". Is the server running there?"};
}

task<result<any_socket>> connect_locally(url server)
{
    using local = asio::local::stream_protocol;
    const auto executor = co_await asio::this_coro::executor;
    asio::basic_stream_socket<local, io_executor> socket(executor);
    const local::endpoint where(server.socket_path);
    boost::system::error_code failed;
    co_await socket.async_connect(where, asio::redirect_error(use_task, failed));
    throw_if_cancelled(failed);
    if (failed)
        co_return cannot_connect(server, failed);
    co_return any_socket(std::move(socket));
}

task<result<any_socket>> connect_by_tcp(url server, address_finder by)
{
    auto addresses = co_await find_endpoints(server, std::move(by));
    if (addresses.has_error())
        co_return addresses.error();
    const auto executor = co_await asio::this_coro::executor;
    tcp_socket socket(executor);
    boost::system::error_code failed;
    co_await asio::async_connect(socket, *addresses, asio::redirect_error(use_task, failed));
    throw_if_cancelled(failed);
    if (failed)
        co_return cannot_connect(server, failed);
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    watch_peer(socket);
    co_return any_socket(std::move(socket));
}

error no_handshake(const url& server, tls_session& tls)
{
    if (tls.untrusted())
        return {errc::bad_request, "the certificate of " + server.str() + " is not to be trusted: " + tls.failure()};
    return {errc::bad_request, "no TLS connection to " + server.str() + " can be made: " + tls.failure()};
}

}    // namespace

task<result<stream>> connect_to(url server, std::shared_ptr<const tls_context> trust, address_finder addresses)
{
    auto connecting = server.socket_path.empty() ? connect_by_tcp(server, std::move(addresses)) : connect_locally(server);
    auto socket = co_await std::move(connecting);
    if (socket.has_error())
        co_return socket.error();
    stream connected(std::move(*socket));
    if (!server.encrypted)
        co_return std::move(connected);
    connected.start_tls(std::move(trust), server.host);
    boost::system::error_code failed;
    co_await connected.async_handshake(asio::redirect_error(use_task, failed));
    throw_if_cancelled(failed);
    if (failed == asio::error::eof || failed == asio::error::connection_reset)
        co_return error{errc::runtime_unavailable, "the connection to " + server.str() + " broke during the TLS handshake"};
    if (failed)
        co_return no_handshake(server, *connected.tls());
    co_return std::move(connected);
}

client_connection::client_connection(stream socket, const client_options& options)
    : socket_(std::move(socket)), input_(std::max(max_input_bytes, options.max_head_bytes + 1)), max_head_bytes_(options.max_head_bytes)
{
}

bool client_connection::is_alive()
{
    // Without a request in flight the peer must send neither bytes nor an end.
    boost::system::error_code failed;
    char byte = 0;
    if (auto* const tls = socket_.tls())    // skips messages of TLS itself
        return tls->read(asio::buffer(&byte, 1)).next == tls_step::wants::readable;
    auto& socket = socket_.socket();
    socket.non_blocking(true, failed);
    socket.receive(asio::buffer(&byte, 1), any_socket::message_peek, failed);
    return failed == asio::error::would_block;
}

task<result<void>> client_connection::send(std::shared_ptr<const request> what, url server)
{
    auto head = serialize_request_head(what->method, server.base_path + what->target, fields_to_send(*what, server, what->body.size()));
    co_return co_await send_parts(std::move(head), what->body);
}

task<result<void>> client_connection::send_head(std::shared_ptr<const request> what, url server, std::uint64_t body_bytes)
{
    auto head = serialize_request_head(what->method, server.base_path + what->target, fields_to_send(*what, server, body_bytes));
    const std::string_view no_body;
    co_return co_await send_parts(std::move(head), no_body);
}

task<result<void>> client_connection::send_piece(shared_bytes piece)
{
    std::string no_head;
    co_return co_await send_parts(std::move(no_head), piece.view());
}

task<result<void>> client_connection::send_parts(std::string head, std::string_view body)
{
    const std::array<asio::const_buffer, 2> parts{asio::buffer(head), asio::buffer(body)};
    boost::system::error_code failed;
    answered_ = false;
    co_await asio::async_write(socket_, parts, asio::redirect_error(use_task, failed));
    throw_if_cancelled(failed);
    // A server that refuses a large body may respond and close before reading all of it: the response must still be read.
    refuses_ = failed.failed();
    if (failed && failed != asio::error::broken_pipe && failed != asio::error::connection_reset)
        co_return broken(failed);
    co_return result<void>();
}

bool client_connection::answer_begins()
{
    if (refuses_ || !input_.empty())
        return true;
    auto* const tls = socket_.tls();
    if (!tls)
        return !is_alive();
    // A message of TLS itself is not a response: try to decrypt application data.
    const auto room = input_.prepare();
    const auto step = tls->read(asio::buffer(room.data(), room.size()));
    if (step.next != tls_step::wants::nothing)
        return false;
    input_.commit(step.count);
    answered_ = answered_ || step.count > 0;
    return true;
}

task<result<void>> client_connection::read_more()
{
    const auto room = input_.prepare();
    boost::system::error_code failed;
    const auto count = co_await socket_.async_read_some(asio::buffer(room.data(), room.size()), asio::redirect_error(use_task, failed));
    input_.commit(count);
    answered_ = answered_ || count > 0;
    throw_if_cancelled(failed);
    if (failed)
        co_return broken(failed);
    co_return result<void>();
}

error client_connection::broken(const boost::system::error_code& why)
{
    auto how = why.message();
    if (why == asio::error::eof)
        how = "closed by the server before the answer was complete";
    else if (socket_.tls() && !socket_.tls()->failure().empty())    // the server may reject this client's certificate only now
        how = socket_.tls()->failure();
    return {errc::runtime_unavailable, "the connection broke: " + how};
}

task<result<response_head>> client_connection::read_one_head(std::string method)
{
    const head_limits limits{max_head_bytes_, max_head_bytes_, max_fields};
    head_scanner scanner(limits);
    while (!scanner.scan(input_.view())) {
        if (scanner.refused())
            co_return not_http(*scanner.refused());
        auto more = co_await read_more();
        if (more.has_error())
            co_return more.error();
    }
    response_head head;
    const auto refused = parse_response_head(input_.view().substr(0, scanner.head_bytes()), method, head);
    input_.consume(scanner.head_bytes());
    if (refused)
        co_return not_http(*refused);
    co_return head;
}

task<result<response>> client_connection::read_head(std::string method, std::uint64_t max_body_bytes)
{
    while (true) {
        auto head = co_await read_one_head(method);
        if (head.has_error())
            co_return head.error();
        if (head->response.status / 100 != 1)
            co_return begin_body(std::move(*head), max_body_bytes);
    }
}

task<result<response>> client_connection::read_upgrade(std::string method, std::string protocol, std::uint64_t max_body_bytes)
{
    while (true) {
        auto head = co_await read_one_head(method);
        if (head.has_error())
            co_return head.error();
        const auto status = head->response.status;
        if (status == 101 && !head->response.fields.has_token("Upgrade", protocol))
            co_return error{errc::bad_request, "the answer is refused: it switches to another protocol than '" + protocol + "'"};
        if (status / 100 == 1 && status != 101)
            continue;
        handed_over_ = status == 101 || (status == 200 && head->body == framing::until_close);
        co_return begin_body(std::move(*head), max_body_bytes);
    }
}

std::pair<stream, std::string> client_connection::release()
{
    std::string rest(input_.view());
    return {std::move(socket_), std::move(rest)};
}

result<response> client_connection::begin_body(response_head head, std::uint64_t max_body_bytes)
{
    body_ = body_decoder(head.body, head.content_length, max_body_bytes);
    keep_alive_ = head.keep_alive;
    if (body_.refused())
        return not_http(*body_.refused());
    return std::move(head.response);
}

task<result<void>> client_connection::read_body(std::string* out)
{
    const auto before = out->size();
    while (!body_.done() && out->size() == before) {
        input_.consume(body_.feed(input_.view(), *out));
        if (body_.refused())
            co_return not_http(*body_.refused());
        if (body_.done() || out->size() > before)
            break;
        auto more = co_await read_more();
        if (more.has_error() && !body_.end_of_input())
            co_return more.error();
    }
    co_return result<void>();
}

}    // namespace caisson::net
