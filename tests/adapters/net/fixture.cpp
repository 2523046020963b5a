#include "tests/adapters/net/fixture.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

namespace caisson::net {

task<> test_handler::handle(exchange& one)
{
    ++handled;
    const auto& got = one.request();
    if (const auto found = on.find(got.path); found != on.end()) {
        co_await found->second(one);
        co_return;
    }
    std::string text;
    if (got.path == "/query") {
        for (const auto& [name, value] : got.query)
            text += name + "=" + value + "\n";
    } else {
        text = got.method + " " + got.path + " " + got.body;
    }
    auto answer = ok(std::move(text));
    co_await one.respond(std::move(answer));
}

raw_client::raw_client(io_executor executor, const endpoint& to) : socket_(executor)
{
    socket_.connect(tcp::endpoint(asio::ip::make_address(to.address), to.port));
}

task<> raw_client::send(std::string bytes)
{
    // A server that refuses early may have reset the connection meanwhile; the answer tells.
    boost::system::error_code ignored;
    co_await asio::async_write(socket_, asio::buffer(bytes), asio::redirect_error(use_task, ignored));
}

task<bool> raw_client::more()
{
    std::string room(64 * 1024, '\0');
    boost::system::error_code failed;
    const auto count = co_await socket_.async_read_some(asio::buffer(room), asio::redirect_error(use_task, failed));
    buffered_.append(room, 0, count);
    co_return !failed;
}

task<std::string> raw_client::until(std::string marker)
{
    while (buffered_.find(marker) == std::string::npos) {
        const bool got = co_await more();
        if (!got)
            break;
    }
    const auto found = buffered_.find(marker);
    auto out = buffered_.substr(0, found == std::string::npos ? found : found + marker.size());
    buffered_.erase(0, out.size());
    co_return out;
}

task<raw_answer> raw_client::answer(bool to_head)
{
    raw_answer out;
    out.head = co_await until("\r\n\r\n");
    if (out.head.size() < 12)
        co_return out;
    out.status = std::stoi(out.head.substr(9, 3));
    const auto field = out.head.find("Content-Length: ");
    const auto length = field == std::string::npos || to_head ? 0 : std::stoull(out.head.substr(field + 16));
    while (buffered_.size() < length) {
        const bool got = co_await more();
        if (!got)
            break;
    }
    out.body = buffered_.substr(0, length);
    buffered_.erase(0, length);
    co_return out;
}

task<std::string> raw_client::rest()
{
    while (true) {
        const bool got = co_await more();
        if (!got)
            break;
    }
    co_return std::exchange(buffered_, {});
}

task<bool> raw_client::closed()
{
    const bool got = co_await more();
    co_return !got;
}

void raw_client::reset()
{
    socket_.set_option(asio::socket_base::linger(true, 0));
    socket_.close();
}

void server_test::TearDown()
{
    if (web)
        run(web->stop(time.steady_now()));
    for (const auto& line : log.lines)
        ADD_FAILURE() << "logged: " << line;
}

void server_test::start(server_options options)
{
    web.emplace(context.get_executor(), time, log, answers, options);
    at = web->listen("127.0.0.1", 0).value().at(0);
}

raw_answer server_test::ask(std::string bytes)
{
    auto peer = connect();
    run(peer.send(std::move(bytes)));
    return run(peer.answer());
}

void server_test::settle()
{
    context.restart();
    for (int i = 0; i < 3; ++i) {
        while (context.poll() > 0) { }
    }
}

}    // namespace caisson::net
