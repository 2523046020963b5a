#include "tests/adapters/net/upgrade_fixture.hpp"

#include <gmock/gmock.h>
#include <openssl/ssl.h>

namespace caisson::net {
namespace {

using ::testing::HasSubstr;

/// A server's context that wants a certificate that `trusted` vouches for.
std::shared_ptr<const tls_context> asking_for(const tls_files& own, const tls_files& trusted)
{
    auto out = tls_context::for_server(own).value();
    ::SSL_CTX_set_verify(out->native(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    ::SSL_CTX_load_verify_file(out->native(), trusted.certificate.c_str());
    return out;
}

class Identity : public upgrade_test {
protected:
    /// A connection of a client that shows `own` to a server that trusts `known`.
    result<upgrade_answer> ask_as(const tls_files& own, const tls_files& known)
    {
        const auto server = shop.make("server");
        begin({switched + "early", afterwards::echo, asking_for(server, known)},
            {.ca_file = server.certificate, .certificate_file = own.certificate, .key_file = own.key});
        return ask();
    }
};

TEST_F(Identity, IsShown)
{
    const auto me = shop.make("me");
    auto got = ask_as(me, me);
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    auto& both = *got->connection;
    EXPECT_EQ(read(both, 5), "early");
    const std::string bytes(100'000, 'b');
    write(both, bytes, "!");
    EXPECT_EQ(read(both, 100'001), bytes + "!");
    both.shutdown_send();
    EXPECT_EQ(read(both, 100), "bye");
    EXPECT_EQ(read(both, 100), "");
}

TEST_F(Identity, TheMissingOneIsTold)
{
    const auto got = ask_as({}, shop.make("me"));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::runtime_unavailable);
    EXPECT_THAT(got.error().detail, HasSubstr("certificate required"));
}

TEST_F(Identity, AForeignOneIsTold)
{
    const auto got = ask_as(shop.make("stranger"), shop.make("me"));
    ASSERT_TRUE(got.has_error());
    EXPECT_EQ(got.error().code, errc::runtime_unavailable);
    EXPECT_THAT(got.error().detail, HasSubstr("unknown ca"));
}

TEST_F(Identity, ACutUnderTlsIsNotAnEnd)
{
    const auto me = shop.make("me");
    const auto server = shop.make("server");
    begin({switched, afterwards::wait, asking_for(server, me)},    // and then it just closes
        {.ca_file = server.certificate, .certificate_file = me.certificate, .key_file = me.key});
    const auto both = connected();
    write(*both, "do it");
    EXPECT_THROW(read(*both, 1), boost::system::system_error);
}

TEST_F(Identity, NeedsBothFilesOfOnePair)
{
    const auto me = shop.make("me");
    const auto other = shop.make("other");
    const auto ca = me.certificate;
    EXPECT_TRUE(tls_context::for_client(ca, me).has_value());
    EXPECT_THAT(tls_context::for_client(ca, {me.certificate, ""}).error().detail, HasSubstr("belong together"));
    EXPECT_THAT(tls_context::for_client(ca, {"", me.key}).error().detail, HasSubstr("belong together"));
    EXPECT_THAT(tls_context::for_client(ca, {me.certificate, other.key}).error().detail, HasSubstr("does not belong"));
    EXPECT_THAT(tls_context::for_client(ca, {shop.path("none"), me.key}).error().detail, HasSubstr("none cannot be used"));
}

}    // namespace
}    // namespace caisson::net
