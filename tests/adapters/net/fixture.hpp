#pragma once

#include "adapters/net/server.hpp"
#include "adapters/net/socket.hpp"
#include "core/async/task_group.hpp"
#include "tests/support/fake_timers.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace caisson::net {

/// Keeps the messages above debug, so that a test can say what must (not) be logged.
class kept_log : public logger {
public:
    void write(log_level level, std::string_view message, std::initializer_list<log_field>) noexcept override
    {
        if (level != log_level::debug)
            lines.emplace_back(message);
    }
    std::vector<std::string> lines;
};

/// Answers by path:
///   /echo     what came, as JSON-free text: "METHOD path body"
///   /query    the query, decoded, one pair a line
///   /small    like /echo, but takes bodies of 10 bytes at most
///   /stream…  what the test put into `on`; the body is streamed, of stream_limit bytes at most
///   others    what the test put into `on`
class test_handler : public handler {
public:
    using action = std::function<task<>(exchange&)>;
    task<> handle(exchange& one) override;
    std::uint64_t body_limit(const request& head) const override
    {
        return head.path == "/small" ? 10 : head.path.starts_with("/stream") ? stream_limit : UINT64_MAX;
    }
    body_mode body_mode_of(const request& head) const override
    {
        return head.path.starts_with("/stream") ? body_mode::streamed : body_mode::buffered;
    }
    task<result<std::string>> admit(const request* head) override
    {
        if (head->path == barred_path)
            co_return error{errc::unauthorized, "who are you?"};
        co_return std::string(head->fields.find("X-Owner").value_or("someone"));
    }

    std::uint64_t stream_limit = 1 << 30;
    void complete(const request& from, headers& answer) const override
    {
        if (from.fields.contains("X-Completed"))
            answer.set("X-Completed", from.path);
    }
    std::string barred_path;
    std::map<std::string, action> on;
    std::size_t handled = 0;
};

/// One answer as a client sees it.
struct raw_answer {
    int status = 0;    // 0: the connection ended before an answer
    std::string head;
    std::string body;
};

/// A client that sends exactly the bytes it is told.
class raw_client {
public:
    raw_client(io_executor executor, const endpoint& to);

    task<> send(std::string bytes);
    /// One answer with Content-Length (none for `to_head`). Bytes after it are kept for the next.
    task<raw_answer> answer(bool to_head = false);
    /// All that comes until the end.
    task<std::string> rest();
    /// Until `marker` has come; what came up to and with it.
    task<std::string> until(std::string marker);
    /// Bytes buffered or an end seen: true if the server closed.
    task<bool> closed();
    void shut() { socket_.shutdown(tcp_socket::shutdown_send); }
    void reset();
    tcp_socket& socket() { return socket_; }

private:
    task<bool> more();
    tcp_socket socket_;
    std::string buffered_;
};

/// A server on loopback under a fake clock.
class server_test : public ::testing::Test {
protected:
    void TearDown() override;

    void start(server_options options = {});
    raw_client connect() { return raw_client(context.get_executor(), at); }
    /// Sends `bytes` on a new connection and gives the answer.
    raw_answer ask(std::string bytes);
    /// Runs what can run without the clock moving.
    void settle();
    template <class T>
    T run(task<T> work)
    {
        return caisson::testing::run_task(context, std::move(work));
    }

    asio::io_context context{1};
    caisson::testing::fake_timers time{context.get_executor()};
    kept_log log;
    test_handler answers;
    std::optional<server> web;
    endpoint at;
};

/// What answers with 200 and `body`.
inline response ok(std::string body) { return {200, {{"Content-Type", "text/plain"}}, std::move(body)}; }

}    // namespace caisson::net
