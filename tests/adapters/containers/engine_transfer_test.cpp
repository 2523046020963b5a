#include "tests/adapters/containers/fixture.hpp"
#include "tests/support/certificates.hpp"

#include <gmock/gmock.h>
#include <openssl/ssl.h>

namespace caisson::docker {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class EngineStream : public imposter_test {
protected:
    using opened = result<std::unique_ptr<net::body_reader>>;
    opened open(net::headers fields = {}) { return run(on.open_stream("GET", "/logs", std::move(fields), soon())); }
};

TEST_F(EngineStream, IsReadAsItComes)
{
    auto& answer = there.on("GET", "/logs").stream();
    const auto got = open({{"X-Registry-Auth", "e30="}});
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(there.requests().back().fields.find("X-Registry-Auth"), "e30=");
    answer.chunk("one");
    EXPECT_EQ(run((*got)->read())->value(), "one");
    answer.chunk("two").end();
    EXPECT_EQ(run((*got)->read())->value(), "two");
    EXPECT_EQ(run((*got)->read()).value(), std::nullopt);
}

TEST_F(EngineStream, ThatBreaksOffIsTheEnginesFailure)
{
    there.on("GET", "/logs").stream().chunk("one").cut();
    const auto got = open();
    EXPECT_EQ(run((*got)->read())->value(), "one");
    const auto cut = run((*got)->read());
    ASSERT_TRUE(cut.has_error());
    EXPECT_EQ(cut.error().code, errc::runtime_unavailable);
    EXPECT_THAT(cut.error().detail, StartsWith("the Docker engine cannot be used"));
}

TEST_F(EngineStream, ARefusalHasTheEnginesWords)
{
    there.on("GET", "/logs").fails(404, "No such container: x");
    const auto got = open();
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::not_found);
    EXPECT_THAT(got.error().detail, HasSubstr("No such container: x"));
}

TEST_F(EngineStream, ARefusalIsReadForAWhileOnly)
{
    there.on("GET", "/logs").stream(500).chunk(std::string(50'000, 'x')).chunk(std::string(50'000, 'y'));
    const auto got = open();
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::runtime_unavailable);
}

TEST_F(EngineStream, ARefusalWithoutEndHasADeadline)
{
    there.on("GET", "/logs").stream(500).chunk("x");
    const auto got = begin(on.open_stream("GET", "/logs", {}, time.steady_now() + 5s));
    settle();
    EXPECT_FALSE(got->done());
    time.advance(5s);
    EXPECT_EQ(end(*got).error().code, errc::timed_out);
}

/// Gives `bytes` in two pieces, then, if there are more to come by its size, an error.
class two_pieces final : public net::body_source {
public:
    two_pieces(std::string bytes, std::uint64_t size) : bytes_(std::move(bytes)), size_(size) { }
    std::uint64_t size_bytes() const override { return size_; }
    task<result<shared_bytes>> read() override
    {
        if (given_ == 2)
            co_return error{errc::gone, "the file changed"};
        const auto half = bytes_.size() / 2;
        co_return shared_bytes(given_++ == 0 ? bytes_.substr(0, half) : bytes_.substr(half));
    }

private:
    std::string bytes_;
    std::uint64_t size_;
    int given_ = 0;
};

using EngineUpload = imposter_test;

TEST_F(EngineUpload, SendsATar)
{
    there.on("PUT", "/archive").whole(200, {}, "done");
    const std::string tar(600'000, 't');
    two_pieces body(tar, tar.size());
    const auto got = run(on.upload("PUT", "/archive?path=/", body));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(*got, "done");
    const auto& seen = there.requests().back();
    EXPECT_TRUE(seen.body == tar);
    EXPECT_EQ(seen.target, "/v1.41/archive?path=/");
    EXPECT_EQ(seen.fields.find("Content-Type"), "application/x-tar");
}

TEST_F(EngineUpload, HasABoundedAnswer)
{
    there.on("POST", "/load").whole(200, {}, std::string(2 << 20, 'a'));
    two_pieces body("tar", 3);
    EXPECT_EQ(run(on.upload("POST", "/load", body))->size(), std::size_t{1} << 20);
}

TEST_F(EngineUpload, SaysWhoseFaultItIs)
{
    there.on("PUT", "/a").fails(404, "no such directory");
    two_pieces refused("tar", 3);
    EXPECT_EQ(run(on.upload("PUT", "/a", refused)).error().code, errc::not_found);
    two_pieces changed("tar", 30);
    const auto got = run(on.upload("PUT", "/b", changed));
    EXPECT_EQ(got.error().code, errc::gone);
    EXPECT_EQ(got.error().detail, "the file changed");
    there.go_down();
    two_pieces away("tar", 3);
    EXPECT_EQ(run(on.upload("PUT", "/a", away)).error().code, errc::runtime_unavailable);
}

class Hijack : public imposter_test {
protected:
    using handed = result<std::unique_ptr<net::raw_connection>>;
    handed hijack() { return run(on.hijack("/attach", soon())); }
};

TEST_F(Hijack, HandsOverTheConnection)
{
    auto& answer = there.on("POST", "/attach").hijack().raw("early");
    const auto got = hijack();
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_EQ(there.requests().back().fields.find("Upgrade"), "tcp");
    EXPECT_EQ(there.requests().back().version, "1.41");
    std::array<char, 100> room{};
    EXPECT_EQ(run((*got)->read_some(room)), 5u);
    const std::array<std::string_view, 2> parts{"to ", "you"};
    run((*got)->write(parts));
    run(there.until_received(answer, "to you"));
    (*got)->shutdown_send();
    run(there.until_input_ended(answer));
    answer.cut();
    EXPECT_EQ(run((*got)->read_some(room)), 0u);
}

TEST_F(Hijack, ARefusalHasTheEnginesWords)
{
    there.on("POST", "/attach").fails(409, "Container x is paused");
    const auto got = hijack();
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::conflict);
    EXPECT_THAT(got.error().detail, HasSubstr("is paused"));
}

TEST_F(Hijack, AnAnswerIsNoConnection)
{
    there.on("POST", "/attach").json(200, {});
    EXPECT_EQ(hijack().error().code, errc::runtime_unavailable);
}

TEST_F(Hijack, HasADeadline)
{
    there.on("POST", "/attach");
    const auto got = begin(on.hijack("/attach", time.steady_now() + 5s));
    settle();
    time.advance(5s);
    EXPECT_EQ(end(*got).error().code, errc::timed_out);
}

class EngineByTls : public imposter_test {
protected:
    void TearDown() override
    {
        if (other)
            run(other->stop());
        imposter_test::TearDown();
    }
    /// An engine behind TLS that wants the certificate of `known`.
    void serve(const net::tls_files& known)
    {
        own = shop.make("engine");
        auto tls = net::tls_context::for_server(own).value();
        ::SSL_CTX_set_verify(tls->native(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
        ::SSL_CTX_load_verify_file(tls->native(), known.certificate.c_str());
        other.emplace(context.get_executor(), caisson::testing::imposter::options{.tcp = true, .tls = std::move(tls)});
    }
    engine_options options(const net::tls_files& identity) const
    {
        return {
            .address = other->address(), .ca_file = own.certificate, .certificate_file = identity.certificate, .key_file = identity.key};
    }

    caisson::testing::certificate_workshop shop;
    net::tls_files own;
    std::optional<caisson::testing::imposter> other;
};

TEST_F(EngineByTls, IsReachedWithACertificate)
{
    const auto me = shop.make("me");
    serve(me);
    other->on("GET", "/info").json(200, {});
    other->on("POST", "/attach").hijack().raw("early");
    engine to(context.get_executor(), time, options(me));
    EXPECT_FALSE(to.local());
    const auto got = run(to.call("GET", "/info", soon()));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    const auto connection = run(to.hijack("/attach", soon()));
    ASSERT_TRUE(connection.has_value()) << connection.error().detail;
    std::array<char, 100> room{};
    EXPECT_EQ(run((*connection)->read_some(room)), 5u);
}

TEST_F(EngineByTls, TellsThatTheCertificateIsMissing)
{
    serve(shop.make("me"));
    engine to(context.get_executor(), time, options({}));
    const auto got = run(to.call("GET", "/info", soon()));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::runtime_unavailable);
    EXPECT_THAT(got.error().detail, HasSubstr("certificate required"));
}

}    // namespace
}    // namespace caisson::docker
