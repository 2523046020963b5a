#include "adapters/net/client.hpp"
#include "core/async/deadline.hpp"
#include "tests/adapters/net/fixture.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <charconv>
#include <random>

/// Whatever happens to other requests of a client, an answer is its own request's.
namespace caisson::net {
namespace {

using namespace std::chrono_literals;

constexpr int users = 8;
constexpr int requests_of_each = 150;

/// What the server and the clients of a test roll dice with.
class dice {
public:
    explicit dice(unsigned seed) : engine_(seed) { }
    /// From 0 to `below` - 1.
    unsigned roll(unsigned below) { return static_cast<unsigned>(engine_() % below); }
    bool one_in(unsigned sides) { return roll(sides) == 0; }

private:
    std::mt19937 engine_;
};

/// Others have so many turns before.
task<> let_others(unsigned turns)
{
    const auto executor = co_await asio::this_coro::executor;
    for (; turns > 0; --turns)
        co_await asio::post(executor, use_task);
}

/// What the body of an answer to `target` is: of a length that depends on it.
std::string body_for(const std::string& target)
{
    std::string out;
    const auto lines = 1 + std::hash<std::string>()(target) % 40;
    for (std::size_t i = 0; i < lines; ++i)
        out += target + "\n";
    return out;
}

enum class style { length, chunked, chunked_with_trailers, until_close, none, old_version };

std::string in_chunks(const std::string& body, bool with_trailers)
{
    constexpr std::size_t chunk_bytes = 700;
    std::string out;
    for (std::size_t at = 0; at < body.size(); at += chunk_bytes) {
        const auto piece = body.substr(at, chunk_bytes);
        std::array<char, 16> digits{};
        const auto end = std::to_chars(digits.begin(), digits.end(), piece.size(), 16).ptr;
        out.append(digits.begin(), end).append(at == 0 ? ";first=1" : "").append("\r\n").append(piece).append("\r\n");
    }
    return out + (with_trailers ? "0\r\nX-Sum: 1\r\nX-Target: /nobody\r\n\r\n" : "0\r\n\r\n");
}

bool is_chunked(style how) { return how == style::chunked || how == style::chunked_with_trailers; }

std::string head_for(const std::string& target, style how, std::size_t body_bytes, bool says_close)
{
    std::string out = how == style::old_version ? "HTTP/1.0 200 OK\r\n"
                      : how == style::none      ? "HTTP/1.1 204 None\r\n"
                                                : "HTTP/1.1 200 OK\r\n";
    out += "X-Target: " + target + "\r\n";
    if (says_close)
        out += "Connection: close\r\n";
    if (how == style::length || how == style::old_version)
        out += "Content-Length: " + std::to_string(body_bytes) + "\r\n";
    if (is_chunked(how))
        out += "Transfer-Encoding: chunked\r\n";
    return out + "\r\n";
}

/// An answer's bytes, in one of the ways in which HTTP can say it.
std::string answer_to(const std::string& method, const std::string& target, style how, bool says_close)
{
    const auto body = body_for(target);
    auto head = head_for(target, how, body.size(), says_close);
    if (method == "HEAD" || how == style::none)
        return head;
    return head + (is_chunked(how) ? in_chunks(body, how == style::chunked_with_trailers) : body);
}

/// A server that says in each answer which request it is for, in pieces of any size and as late as it likes; some it leaves half, and
/// some connections it closes before, within or after an answer.
class odd_server {
public:
    odd_server(asio::io_context& context, dice& chance)
        : door_(context, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)), work_(context.get_executor(), silent_), chance_(chance)
    {
        work_.spawn("accepting", accept());
    }

    std::uint16_t port() const { return door_.local_endpoint().port(); }
    task<> stop() { return work_.stop(); }

    std::size_t connections = 0;

private:
    task<> accept()
    {
        while (true) {
            tcp_socket socket = co_await door_.async_accept(use_task);
            ++connections;
            work_.spawn("a connection", serve(std::move(socket)));
        }
    }

    task<> serve(tcp_socket socket)
    {
        std::string heard;
        while (true) {
            const bool whole = co_await hear(&socket, &heard);
            if (!whole)
                co_return;
            const auto method = heard.substr(0, heard.find(' '));
            const auto target = heard.substr(method.size() + 1, heard.find(' ', method.size() + 1) - method.size() - 1);
            const auto body = method == "POST" ? heard.find("\r\n\r\n") + 4 + target.size() : heard.find("\r\n\r\n") + 4;
            heard.erase(0, body);
            const bool goes_on = co_await answer(&socket, method, target);
            if (!goes_on)
                co_return;
        }
    }

    /// One request, whose body, of a POST, is its target.
    static task<bool> hear(tcp_socket* socket, std::string* heard)
    {
        const auto is_whole = [&] {
            const auto end = heard->find("\r\n\r\n");
            if (end == std::string::npos)
                return false;
            return !heard->starts_with("POST") || heard->size() - end - 4 >= heard->find(' ', 5) - 5;
        };
        char room[4096];
        while (!is_whole()) {
            boost::system::error_code failed;
            const auto count = co_await socket->async_read_some(asio::buffer(room), asio::redirect_error(use_task, failed));
            if (failed)
                co_return false;
            heard->append(room, count);
        }
        co_return true;
    }

    /// False if the connection is at its end.
    task<bool> answer(tcp_socket* socket, std::string method, std::string target)
    {
        const auto how = static_cast<style>(chance_.roll(6));
        const bool closes = how == style::until_close || how == style::old_version || chance_.one_in(8);
        auto bytes = answer_to(method, target, how, closes && chance_.one_in(2));
        const bool cut = how != style::until_close && chance_.one_in(12);
        if (cut)
            bytes.resize(chance_.roll(static_cast<unsigned>(bytes.size())));
        if (chance_.one_in(5))
            bytes.insert(0, "HTTP/1.1 102 Processing\r\nX-Target: /nobody\r\n\r\n");
        co_await let_others(chance_.roll(20));
        const bool sent = co_await send_in_pieces(socket, std::move(bytes));
        co_return sent && !cut && !closes;
    }

    task<bool> send_in_pieces(tcp_socket* socket, std::string bytes)
    {
        std::string_view left = bytes;
        while (!left.empty()) {
            const auto piece = left.substr(0, 1 + chance_.roll(chance_.one_in(4) ? 3 : 2000));
            boost::system::error_code failed;
            co_await asio::async_write(*socket, asio::buffer(piece), asio::redirect_error(use_task, failed));
            if (failed)
                co_return false;
            left.remove_prefix(piece.size());
            co_await let_others(chance_.roll(6));
        }
        co_return true;
    }

    null_logger silent_;
    asio::basic_socket_acceptor<tcp, io_executor> door_;
    task_group work_;
    dice& chance_;
};

struct tally {
    std::size_t whole = 0;
    std::size_t failed = 0;
    std::size_t given_up = 0;
};

class ClientAnswers : public server_test, public ::testing::WithParamInterface<unsigned> {
protected:
    task<> use(int who, tally* out)
    {
        for (int i = 0; i < requests_of_each; ++i) {
            const auto target = "/" + std::to_string(who) + "/" + std::to_string(i) + std::string(chance.roll(9), 'x');
            if (chance.one_in(6))
                co_await read_partly(target, out);
            else
                co_await ask_one(target, out);
            co_await let_others(chance.roll(4));
        }
    }

    static void judge(const response& got, const std::string& method, const std::string& target)
    {
        EXPECT_EQ(got.fields.find("X-Target").value_or("none"), target);
        EXPECT_EQ(got.body, method == "HEAD" || got.status == 204 ? "" : body_for(target));
    }

    /// Its deadline falls wherever it likes; so does somebody else's, who waits for it.
    task<> ask_one(std::string target, tally* out)
    {
        request what;
        what.method = chance.one_in(3) ? "POST" : chance.one_in(6) ? "HEAD" : "GET";
        what.target = target;
        what.body = what.method == "POST" ? target : "";
        const auto method = what.method;
        auto sending = user->send(std::move(what), time.steady_now() + std::chrono::milliseconds(1 + chance.roll(60)));
        if (chance.one_in(5)) {
            auto leaving = let_others(chance.roll(40));
            auto first = co_await race(std::move(sending), std::move(leaving));
            if (first.index() == 1) {
                ++out->given_up;
                co_return;
            }
            count(std::get<0>(first), method, target, out);
            co_return;
        }
        const auto got = co_await std::move(sending);
        count(got, method, target, out);
    }

    static void count(const result<response>& got, const std::string& method, const std::string& target, tally* out)
    {
        ++(got.has_value() ? out->whole : out->failed);
        if (got.has_value())
            judge(*got, method, target);
    }

    /// What came is the begin of its own answer, and then it is left alone.
    task<> read_partly(std::string target, tally* out)
    {
        request what;
        what.method = "GET";
        what.target = target;
        auto opened = co_await user->open_stream(std::move(what), time.steady_now() + std::chrono::milliseconds(1 + chance.roll(60)));
        if (opened.has_error()) {
            ++out->failed;
            co_return;
        }
        EXPECT_EQ((*opened)->head().fields.find("X-Target").value_or("none"), target);
        std::string body;
        for (auto left = chance.roll(4); left > 0; --left) {
            auto piece = co_await (*opened)->read();
            if (piece.has_error() || !*piece)
                break;
            body += **piece;
        }
        EXPECT_TRUE(body_for(target).starts_with(body));
        ++out->given_up;
    }

    task<> let_time_pass(const task_group* while_any)
    {
        while (while_any->size() > 0) {
            co_await let_others(8);
            time.advance(1ms);
        }
    }

    dice chance{GetParam()};
    std::optional<client> user;
};

TEST_P(ClientAnswers, AreTheirOwnRequests)
{
    odd_server server(context, chance);
    user.emplace(context.get_executor(), time, url{"127.0.0.1", server.port()});
    null_logger silent;
    task_group asking(context.get_executor(), silent);
    tally sum;
    for (int i = 0; i < users; ++i)
        asking.spawn("a user", use(i, &sum));
    run(let_time_pass(&asking));
    run(server.stop());
    // All of it happened.
    constexpr std::size_t all = users * requests_of_each;
    EXPECT_EQ(sum.whole + sum.failed + sum.given_up, all);
    EXPECT_GT(sum.whole, all / 4);
    EXPECT_GT(sum.failed, all / 50);
    EXPECT_GT(sum.given_up, all / 20);
    EXPECT_LT(server.connections, all) << "connections were used again";
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClientAnswers, ::testing::Range(0u, 2u));

}    // namespace
}    // namespace caisson::net
