#include "adapters/net/client.hpp"
#include "adapters/net/tls_files.hpp"
#include "tests/adapters/net/fixture.hpp"
#include "tests/support/certificates.hpp"

#include <boost/asio/local/stream_protocol.hpp>
#include <gmock/gmock.h>

#include <filesystem>

namespace caisson::net {
namespace {

using namespace std::chrono_literals;
using caisson::testing::certificate_workshop;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t day_ms = 86'400'000;
const std::string host = " HTTP/1.1\r\nHost: x\r\n";

std::int64_t now_ms() { return system_clock().now_ms(); }

class Tls : public server_test {
protected:
    void begin(const tls_files& files, server_options options = {})
    {
        web.emplace(context.get_executor(), time, log, answers, options);
        use(files);
        at = web->listen("127.0.0.1", 0).value().at(0);
    }
    void use(const tls_files& files) { web->set_tls(tls_context::for_server(files).value()); }

    /// A client that trusts `ca`.
    client& trusting(const std::filesystem::path& ca, std::string name = "localhost")
    {
        url where{std::move(name), at.port};
        where.encrypted = true;
        user.emplace(context.get_executor(), time, std::move(where), client_options{.ca_file = ca});
        return *user;
    }
    result<response> get(client& from, std::string body = "")
    {
        request what;
        what.method = "POST";
        what.target = "/echo";
        what.body = std::move(body);
        return run(from.send(std::move(what), time.steady_now() + 1min));
    }

    certificate_workshop shop;
    std::optional<client> user;
};

task<> echo(exchange& one)
{
    websocket_options options;
    auto socket = co_await one.upgrade(std::move(options));
    while (auto got = co_await (*socket)->receive())
        (*socket)->send_binary("echo ", shared_bytes(std::move(got->data)));
}

task<> two_pieces(exchange& one)
{
    response head;
    auto out = co_await one.begin_stream(std::move(head));
    co_await out->write("first");
    static_cast<void>(co_await one.client_gone());
}

TEST_F(Tls, CarriesRequestsOnOneConnection)
{
    const auto files = shop.make("one");
    begin(files);
    EXPECT_EQ(at.url(), "https://127.0.0.1:" + std::to_string(at.port));
    auto& from = trusting(files.certificate);
    for (const auto* body : {"a", "", "b"})
        EXPECT_EQ(get(from, body)->body, std::string("POST /echo ") + body);
    EXPECT_EQ(web->connections(), 1u);
}

TEST_F(Tls, IsVerifiedByAddressToo)
{
    const auto files = shop.make("one");
    begin(files);
    EXPECT_TRUE(get(trusting(files.certificate, "127.0.0.1")).has_value());
}

TEST_F(Tls, CarriesLargeBodiesBothWays)
{
    const auto files = shop.make("one");
    begin(files);
    const std::string body(5'000'000, 'b');
    EXPECT_EQ(get(trusting(files.certificate), body)->body, "POST /echo " + body);
}

TEST_F(Tls, CarriesAWebSocket)
{
    const auto files = shop.make("one");
    begin(files);
    answers.on["/ws"] = echo;
    auto socket = run(trusting(files.certificate).connect_websocket("/ws", {}, time.steady_now() + 1h));
    ASSERT_TRUE(socket.has_value()) << socket.error().detail;
    const std::string payload(300'000, 'x');
    (*socket)->send_text("hallo");
    (*socket)->send_binary("", shared_bytes(payload));
    EXPECT_EQ(run((*socket)->receive())->data, "echo hallo");
    EXPECT_EQ(run((*socket)->receive())->data, "echo " + payload);
    run((*socket)->close(close_code::normal, ""));
    settle();
    EXPECT_EQ(web->connections(), 0u);
}

TEST_F(Tls, AStreamSeesThatItsClientLeft)
{
    const auto files = shop.make("one");
    begin(files);
    answers.on["/stream"] = two_pieces;
    request what;
    what.method = "GET";
    what.target = "/stream";
    auto body = run(trusting(files.certificate).open_stream(std::move(what), time.steady_now() + 1min));
    EXPECT_EQ(run((*body)->read())->value(), "first");
    body->reset();
    settle();
    EXPECT_EQ(web->connections(), 0u);
}

struct distrust_case {
    std::string_view name;
    certificate_workshop::wish wish;
    std::string host;
    bool known;
    std::string_view says;
};
class Distrust : public Tls, public ::testing::WithParamInterface<distrust_case> { };
TEST_P(Distrust, IsToldWithItsReason)
{
    const auto& c = GetParam();
    const auto files = shop.make("server", c.wish);
    const auto other = shop.make("other");
    begin(files);
    const auto got = get(trusting(c.known ? files.certificate : other.certificate, c.host));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::bad_request);
    EXPECT_THAT(got.error().detail, HasSubstr(c.says));
    EXPECT_THAT(got.error().detail, HasSubstr("https://" + c.host));
    settle();
    log.lines.clear();    // the server says that the handshake failed
}
INSTANTIATE_TEST_SUITE_P(All, Distrust,
    ::testing::Values(distrust_case{"unknown_ca", {}, "localhost", false, "no CA that is trusted here"},
        distrust_case{"expired", {.ends = -24h}, "localhost", true, "it has expired"},
        distrust_case{"not_yet", {.begins = 24h}, "localhost", true, "not valid yet"},
        distrust_case{"other_name", {.names = "DNS:example.org"}, "localhost", true, "for another host"},
        distrust_case{"other_address", {.names = "IP:192.0.2.1"}, "127.0.0.1", true, "for another host"},
        distrust_case{"nobody_vouches", {}, "localhost", false, "is not to be trusted"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Tls, AnswersPlainHttpInPlainWords)
{
    begin(shop.make("one"));
    const auto got = ask("GET /echo" + host + "\r\n");
    EXPECT_EQ(got.status, 400);
    EXPECT_THAT(got.body, HasSubstr("use https://"));
}

TEST_F(Tls, AClientThatExpectsItSaysThatItIsMissing)
{
    start();
    const auto got = get(trusting(""));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::bad_request);
    EXPECT_THAT(got.error().detail, HasSubstr("does not speak TLS"));
}

TEST_F(Tls, AHandshakeHasADeadline)
{
    begin(shop.make("one"));
    auto silent = connect();
    auto half = connect();
    run(half.send(std::string("\x16\x03\x01\x02\x00\x01", 6)));
    settle();
    time.advance(9s);
    settle();
    EXPECT_EQ(web->connections(), 2u);
    time.advance(2s);
    settle();
    EXPECT_EQ(web->connections(), 0u);
    EXPECT_TRUE(run(silent.closed()));
    EXPECT_TRUE(run(half.closed()));
}

TEST_F(Tls, GarbageIsHungUpOn)
{
    begin(shop.make("one"));
    auto peer = connect();
    run(peer.send(std::string("\x16\x03\x01\x00\x05hello and more", 19)));
    settle();
    EXPECT_EQ(web->connections(), 0u);
    log.lines.clear();
}

TEST_F(Tls, HandshakesAreBoundedAndASlowOneGivesWay)
{
    const auto files = shop.make("one");
    begin(files, {.max_handshakes = 2});
    auto first = connect();
    auto second = connect();
    settle();
    auto third = connect();
    settle();
    EXPECT_EQ(web->connections(), 2u) << "the third waits in the listener's queue";
    time.advance(10ms);
    settle();
    EXPECT_EQ(web->connections(), 2u);
    time.advance(500ms);
    settle();
    EXPECT_TRUE(run(first.closed()));
    EXPECT_EQ(web->connections(), 2u);
}

TEST_F(Tls, NewConnectionsGetTheNewCertificateAndOldOnesGoOn)
{
    const auto before = shop.make("before");
    const auto after = shop.make("after");
    begin(before);
    auto& old = trusting(before.certificate);
    ASSERT_TRUE(get(old).has_value());
    use(after);
    EXPECT_TRUE(get(old).has_value()) << "on its connection";
    EXPECT_EQ(web->connections(), 1u);
    EXPECT_TRUE(get(trusting(after.certificate)).has_value());
    EXPECT_THAT(get(trusting(before.certificate)).error().detail, HasSubstr("no CA that is trusted here"));
    settle();
    log.lines.clear();
}

TEST_F(Tls, AClientReachesAUnixSocket)
{
    using local = asio::local::stream_protocol;
    const auto path = shop.path("socket");
    asio::basic_socket_acceptor<local, io_executor> listener(context, local::endpoint(path.string()));
    auto serve = [](auto& from) -> task<> {
        auto socket = co_await from.async_accept(use_task);
        std::string room(1000, '\0');
        const auto count = co_await socket.async_read_some(asio::buffer(room), use_task);
        room.resize(count);
        const auto answer = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(count) + "\r\n\r\n" + room;
        co_await asio::async_write(socket, asio::buffer(answer), use_task);
    };
    asio::co_spawn(context, serve(listener), [](std::exception_ptr) { });
    user.emplace(context.get_executor(), time, url::parse("unix://" + path.string()).value());
    EXPECT_THAT(get(*user)->body, HasSubstr("POST /echo HTTP/1.1\r\nHost: localhost\r\n"));
    user.emplace(context.get_executor(), time, url::parse("unix:///no/such/socket").value());
    EXPECT_THAT(get(*user).error().detail, HasSubstr("unix:///no/such/socket"));
}

struct pair_case {
    std::string_view name;
    std::string certificate;
    std::string key;
    std::string_view says;
};
class BadPair : public ::testing::TestWithParam<pair_case> { };
TEST_P(BadPair, IsRefusedWithTheFileAndTheReason)
{
    const auto& c = GetParam();
    certificate_workshop shop;
    shop.make("good");
    shop.make("other");
    shop.write("text", "no PEM");
    shop.write("locked", "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                         "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi77RFKlXOjeQICCAAw\n"
                         "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEECObgfe8PNbtFI3EKvUiQmIEQIw9\n"
                         "MZEsPPH0e+2EpNZMd27f03b7fku/tNQLaMc+3DuLFNU1ZWvwXbj96j6pJVPcueGT\n"
                         "yfS/qWtwedJSljglQfY=\n"
                         "-----END ENCRYPTED PRIVATE KEY-----\n");
    shop.write("ed25519", "-----BEGIN PRIVATE KEY-----\n"
                          "MC4CAQAwBQYDK2VwBCIEIGNwQBk63i9kogjWTnNYEnd6ikNgkJ4PZgJil7s84fpK\n"
                          "-----END PRIVATE KEY-----\n");
    ASSERT_EQ(::mkfifo(shop.path("pipe").c_str(), 0600), 0);
    const auto made = tls_context::for_server({shop.path(c.certificate), shop.path(c.key)});
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().code, errc::bad_request);
    EXPECT_THAT(made.error().detail, HasSubstr(c.says));
}
INSTANTIATE_TEST_SUITE_P(All, BadPair,
    ::testing::Values(pair_case{"no_certificate", "nothing.pem", "good.key", "nothing.pem cannot be used: No such file"},
        pair_case{"no_key", "good.pem", "nothing.key", "nothing.key cannot be used"},
        pair_case{"no_pem", "text", "good.key", "the TLS certificate"}, pair_case{"key_is_no_key", "good.pem", "text", "the TLS key"},
        pair_case{"key_of_another", "good.pem", "other.key", "does not belong to the certificate"},
        pair_case{"key_of_another_kind", "good.pem", "ed25519", "does not belong to the certificate"},
        pair_case{"swapped", "good.key", "good.pem", "the TLS certificate"},
        pair_case{"locked_key", "good.pem", "locked", "without a passphrase"}, pair_case{"pipe", "pipe", "good.key", "not a regular file"},
        pair_case{"directory", "good.pem", ".", "not a regular file"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ClientTrust, NeedsCertificatesInItsFile)
{
    certificate_workshop shop;
    EXPECT_THAT(tls_context::for_client(shop.path("none")).error().detail, HasSubstr("must hold PEM certificates"));
    EXPECT_THAT(tls_context::for_client(shop.write("text", "x")).error().detail, HasSubstr("must hold PEM certificates"));
    EXPECT_TRUE(tls_context::for_client("").has_value());
}

TEST(CertificateFacts, SayNamesAndDays)
{
    certificate_workshop shop;
    const auto facts =
        tls_context::for_server(shop.make("a", {.names = "DNS:a.example,IP:192.0.2.7,IP:2001:db8::1"})).value()->certificate();
    EXPECT_THAT(facts.names, ElementsAre("a.example", "192.0.2.7", "2001:db8::1"));
    EXPECT_EQ(facts.days_left(now_ms()), 89);
    EXPECT_EQ(facts.days_left(facts.not_after_ms), 0);
    EXPECT_EQ(facts.days_left(facts.not_after_ms + 1), -1);
    EXPECT_EQ(facts.days_left(facts.not_after_ms + day_ms), -1);
    EXPECT_EQ(facts.days_left(facts.not_after_ms + day_ms + 1), -2);
    EXPECT_THAT(lifetime_text(facts, facts.not_after_ms), HasSubstr("expires in 0 days, on 20"));
    EXPECT_THAT(lifetime_text(facts, facts.not_after_ms + 1), HasSubstr("expired on 20"));
    const auto nameless = tls_context::for_server(shop.make("b", {.names = ""})).value()->certificate();
    EXPECT_THAT(nameless.names, ElementsAre("/CN=b"));
}

TEST(Weaknesses, AreSaid)
{
    certificate_workshop shop;
    const auto files = shop.make("a");
    const auto facts = tls_context::for_server(files).value()->certificate();
    EXPECT_THAT(weaknesses_of(facts, files, now_ms()), IsEmpty());
    EXPECT_THAT(weaknesses_of(facts, files, facts.not_after_ms - 14 * day_ms), IsEmpty());
    EXPECT_THAT(weaknesses_of(facts, files, facts.not_after_ms - 14 * day_ms + 1), ElementsAre(HasSubstr("expires in 13 days")));
    EXPECT_THAT(weaknesses_of(facts, files, facts.not_after_ms + 1), ElementsAre(HasSubstr("expired on")));
    EXPECT_THAT(weaknesses_of(facts, files, facts.not_before_ms - 1), ElementsAre(HasSubstr("valid only from")));
    std::filesystem::permissions(files.key, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
    EXPECT_THAT(weaknesses_of(facts, files, now_ms()), ElementsAre(HasSubstr("can be read by every user")));
}

TEST(FileStamps, ChangeWithTheFiles)
{
    certificate_workshop shop;
    const auto files = shop.make("a");
    const auto before = stamps_of(files);
    EXPECT_EQ(stamps_of(files), before);
    const auto other = shop.make("b");
    std::filesystem::rename(other.key, files.key);
    EXPECT_NE(stamps_of(files), before);
    std::filesystem::remove(files.key);
    EXPECT_NE(stamps_of(files), before);
}

}    // namespace
}    // namespace caisson::net
