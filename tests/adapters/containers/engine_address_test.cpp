#include "adapters/engine/engine_address.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/fake_timers.hpp"

#include <gmock/gmock.h>

namespace caisson::docker {
namespace {

using ::testing::HasSubstr;

struct address_case {
    std::string_view name;
    engine_options options;
    std::string_view want;    // the URL, or a part of the error
    bool good;
};
class EngineAddress : public ::testing::TestWithParam<address_case> { };
TEST_P(EngineAddress, IsReadOrRefused)
{
    const auto& c = GetParam();
    const auto got = engine_address(c.options);
    ASSERT_EQ(got.has_value(), c.good) << (got.has_value() ? got->str() : got.error().detail);
    EXPECT_THAT(c.good ? got->str() : got.error().detail, HasSubstr(c.want));
    if (!c.good)
        EXPECT_THAT(got.error().detail, HasSubstr("'" + c.options.address + "'"));
}

const std::string long_path(200, 'x');
INSTANTIATE_TEST_SUITE_P(All, EngineAddress,
    ::testing::Values(address_case{"usual", {}, "unix:///var/run/docker.sock", true},
        address_case{"tcp", {.address = "tcp://192.0.2.7:2375"}, "http://192.0.2.7:2375", true},
        address_case{"tcp_without_port", {.address = "tcp://box"}, "http://box:2375", true},
        address_case{"tls", {.address = "tcp://box:1", .ca_file = "ca"}, "https://box:1", true},
        address_case{"tls_without_port", {.address = "tcp://box", .ca_file = "ca"}, "https://box:2376", true},
        address_case{
            "own_certificate", {.address = "tcp://box", .ca_file = "ca", .certificate_file = "c", .key_file = "k"}, "https://", true},
        address_case{"ipv6", {.address = "tcp://[2001:db8::1]:5"}, "http://[2001:db8::1]:5", true},
        address_case{"ipv6_without_port", {.address = "tcp://[2001:db8::1]"}, "http://[2001:db8::1]:2375", true},
        address_case{"empty", {.address = ""}, "neither unix:// nor tcp://", false},
        address_case{"http", {.address = "http://box"}, "neither unix:// nor tcp://", false},
        address_case{"ssh", {.address = "ssh://box"}, "neither unix:// nor tcp://", false},
        address_case{"path_alone", {.address = "/var/run/docker.sock"}, "neither unix:// nor tcp://", false},
        address_case{"relative", {.address = "unix://docker.sock"}, "absolute path", false},
        address_case{"long_path", {.address = "unix:///" + long_path}, "at most 107 bytes", false},
        address_case{"no_host", {.address = "tcp://"}, "malformed", false},
        address_case{"bad_port", {.address = "tcp://box:x"}, "malformed", false},
        address_case{"path_behind", {.address = "tcp://box:1/x"}, "nothing may follow", false},
        address_case{"tls_of_a_socket", {.ca_file = "ca"}, "certificates are for tcp://", false},
        address_case{
            "certificate_without_ca", {.address = "tcp://box", .certificate_file = "c", .key_file = "k"}, "needs a ca_file", false}),
    [](const auto& info) { return std::string(info.param.name); });

class EngineFiles : public ::testing::Test {
protected:
    /// What the constructor throws.
    std::string refusal(engine_options options)
    {
        try {
            const engine made(context.get_executor(), time, std::move(options));
            return "";
        } catch (const std::runtime_error& failed) {
            return failed.what();
        }
    }
    asio::io_context context{1};
    caisson::testing::fake_timers time{context.get_executor()};
    caisson::testing::certificate_workshop shop;
};

TEST_F(EngineFiles, AreLookedAtBeforeTheyAreUsed)
{
    const auto me = shop.make("me");
    EXPECT_EQ(refusal({.address = "tcp://box", .ca_file = me.certificate, .certificate_file = me.certificate, .key_file = me.key}), "");
    EXPECT_THAT(refusal({.address = "box"}), HasSubstr("'box' is not an address"));
    EXPECT_THAT(refusal({.address = "tcp://box", .ca_file = shop.path("none")}), HasSubstr("CA file"));
    EXPECT_THAT(refusal({.address = "tcp://box", .ca_file = me.certificate, .certificate_file = me.certificate}), HasSubstr("both"));
    EXPECT_THAT(refusal({.address = "tcp://box", .ca_file = me.certificate, .certificate_file = me.key, .key_file = me.key}),
        HasSubstr("cannot be used"));
}

TEST_F(EngineFiles, EnginesOfThisHostAreLocal)
{
    EXPECT_TRUE(engine(context.get_executor(), time, {}).local());
    EXPECT_FALSE(engine(context.get_executor(), time, {.address = "tcp://127.0.0.1"}).local());
    EXPECT_EQ(engine(context.get_executor(), time, {.address = "tcp://box"}).address(), "tcp://box");
}

}    // namespace
}    // namespace caisson::docker
