/// usage: bench-beast-hello --body FILE
/// The least HTTP server that Beast makes, as a peer: one thread, one coroutine a connection, the same bytes for every request.
/// Prints {"port": …}.
#include "bench/arguments.hpp"
#include "bench/report.hpp"
#include "core/async/task_group.hpp"

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace caisson::bench {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using tcp_socket = asio::basic_stream_socket<asio::ip::tcp, io_executor>;
using tcp_acceptor = asio::basic_socket_acceptor<asio::ip::tcp, io_executor>;

task<> answer_all(tcp_socket socket, const std::string* body)
{
    socket.set_option(asio::ip::tcp::no_delay(true));
    beast::flat_buffer buffer;
    for (;;) {
        http::request<http::empty_body> request;
        co_await http::async_read(socket, buffer, request, use_task);
        http::response<http::span_body<const char>> response(http::status::ok, request.version());
        response.set(http::field::content_type, "application/json");
        response.keep_alive(request.keep_alive());
        response.body() = {body->data(), body->size()};
        response.prepare_payload();
        co_await http::async_write(socket, response, use_task);
    }
}

task<> accept(tcp_acceptor* acceptor, task_group* sessions, const std::string* body)
{
    for (;;) {
        auto connected = co_await acceptor->async_accept(use_task);
        sessions->spawn("session", answer_all(std::move(connected), body));
    }
}

void serve(const arguments& given)
{
    const auto body = read_file(given.text("body"));
    asio::io_context context(1);
    null_logger log;
    task_group sessions(context.get_executor(), log);
    tcp_acceptor acceptor(context.get_executor(), {asio::ip::address_v4::loopback(), 0});
    sessions.spawn("accept", accept(&acceptor, &sessions, &body));
    print_ready(acceptor.local_endpoint().port());
    context.run();
}

}    // namespace

}    // namespace caisson::bench

int main(int argc, char** argv) { return caisson::bench::run_main(argc, argv, caisson::bench::serve); }
