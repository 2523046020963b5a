/// usage: bench-ws-relay -- PROGRAM ARGS…
/// The least server that shows output live, as a peer: for each WebSocket on 127.0.0.1 it starts the program on the host and
/// sends what it reads of its standard output as binary messages, stored nowhere, sandboxed nowhere. Prints {"port": …}.
#include "bench/arguments.hpp"
#include "bench/report.hpp"
#include "bench/spawn.hpp"
#include "core/async/task_group.hpp"
#include "core/base/unique_fd.hpp"

#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <system_error>

namespace caisson::bench {

namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;
using tcp_socket = asio::basic_stream_socket<asio::ip::tcp, io_executor>;
using tcp_acceptor = asio::basic_socket_acceptor<asio::ip::tcp, io_executor>;
using pipe_end = asio::posix::basic_stream_descriptor<io_executor>;

/// Starts the program and returns the end of a pipe, as large as the kernel lets it be, that its output comes from.
pipe_end start_with_pipe(io_executor executor, const std::vector<std::string>& argv, pid_t& child)
{
    constexpr int wanted_bytes = 1 << 20;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::system_category(), "pipe2");
    pipe_end from(executor, ends[0]);
    const unique_fd into(ends[1]);
    ::fcntl(into.get(), F_SETPIPE_SZ, wanted_bytes);    // a smaller one does, too
    child = start(argv, into.get());
    return from;
}

task<> relay(tcp_socket connected, const std::vector<std::string>* argv)
{
    constexpr std::size_t chunk_bytes = 64 << 10;
    const auto executor = connected.get_executor();
    connected.set_option(asio::ip::tcp::no_delay(true));
    websocket::stream<tcp_socket, false> socket(std::move(connected));
    socket.auto_fragment(false);
    socket.binary(true);
    co_await socket.async_accept(use_task);
    pid_t child = 0;
    auto from = start_with_pipe(executor, *argv, child);
    std::vector<char> chunk(chunk_bytes);
    for (;;) {
        boost::system::error_code ended;
        const auto length = co_await from.async_read_some(asio::buffer(chunk), asio::redirect_error(use_task, ended));
        if (ended)
            break;
        co_await socket.async_write(asio::buffer(chunk.data(), length), use_task);
    }
    finish(child);
    co_await socket.async_close(websocket::close_code::normal, use_task);
}

task<> accept(tcp_acceptor* acceptor, task_group* sessions, const std::vector<std::string>* argv)
{
    for (;;) {
        auto connected = co_await acceptor->async_accept(use_task);
        sessions->spawn("session", relay(std::move(connected), argv));
    }
}

void serve(const arguments& given)
{
    asio::io_context context(1);
    null_logger log;
    task_group sessions(context.get_executor(), log);
    tcp_acceptor acceptor(context.get_executor(), {asio::ip::address_v4::loopback(), 0});
    sessions.spawn("accept", accept(&acceptor, &sessions, &given.command()));
    print_ready(acceptor.local_endpoint().port());
    context.run();
}

}    // namespace

}    // namespace caisson::bench

int main(int argc, char** argv) { return caisson::bench::run_main(argc, argv, caisson::bench::serve); }
