#include "core/webhooks/addresses.hpp"
#include "core/webhooks/types.hpp"

#include <gtest/gtest.h>

namespace caisson {
namespace {

struct address_case {
    std::string_view name;
    std::string_view text;
    bool is_public;
};
class PublicAddress : public ::testing::TestWithParam<address_case> { };
TEST_P(PublicAddress, IsToldFromOthers)
{
    const auto& c = GetParam();
    const auto address = boost::asio::ip::make_address(std::string(c.text));
    EXPECT_EQ(is_public_address(address), c.is_public);
    EXPECT_EQ(is_private_host(c.text), !c.is_public);
}
INSTANTIATE_TEST_SUITE_P(Cases, PublicAddress,
    ::testing::Values(address_case{"v4", "93.184.216.34", true}, address_case{"dns", "8.8.8.8", true},
        address_case{"below_10", "9.255.255.255", true}, address_case{"above_10", "11.0.0.0", true},
        address_case{"below_172_16", "172.15.255.255", true}, address_case{"above_172_31", "172.32.0.0", true},
        address_case{"above_192_168", "192.169.0.0", true}, address_case{"below_cgnat", "100.63.255.255", true},
        address_case{"above_cgnat", "100.128.0.0", true}, address_case{"below_multicast", "223.255.255.255", true},
        address_case{"v6", "2606:2800:220:1:248:1893:25c8:1946", true}, address_case{"mapped_public", "::ffff:8.8.8.8", true},
        address_case{"nat64_public", "64:ff9b::808:808", true}, address_case{"unspecified", "0.0.0.0", false},
        address_case{"this_network", "0.1.2.3", false}, address_case{"ten", "10.0.0.1", false}, address_case{"cgnat", "100.64.0.1", false},
        address_case{"cgnat_end", "100.127.255.255", false}, address_case{"alibaba_metadata", "100.100.100.200", false},
        address_case{"loopback", "127.0.0.1", false}, address_case{"loopback_end", "127.255.255.254", false},
        address_case{"azure_service", "168.63.129.16", false}, address_case{"link_local", "169.254.1.1", false},
        address_case{"cloud_metadata", "169.254.169.254", false}, address_case{"container_metadata", "169.254.170.2", false},
        address_case{"b16", "172.16.0.1", false}, address_case{"b31", "172.31.255.255", false},
        address_case{"oracle_metadata", "192.0.0.192", false}, address_case{"test_1", "192.0.2.1", false},
        address_case{"relay", "192.88.99.1", false}, address_case{"c168", "192.168.1.1", false},
        address_case{"benchmark", "198.18.0.1", false}, address_case{"benchmark_end", "198.19.255.255", false},
        address_case{"test_2", "198.51.100.7", false}, address_case{"test_3", "203.0.113.7", false},
        address_case{"multicast", "224.0.0.1", false}, address_case{"reserved", "240.0.0.1", false},
        address_case{"broadcast", "255.255.255.255", false}, address_case{"v6_unspecified", "::", false},
        address_case{"v6_loopback", "::1", false}, address_case{"v6_link_local", "fe80::1", false},
        address_case{"v6_site_local", "fec0::1", false}, address_case{"ula", "fc00::1", false},
        address_case{"ula_metadata", "fd00:ec2::254", false}, address_case{"v6_multicast", "ff02::1", false},
        address_case{"v6_documentation", "2001:db8::1", false}, address_case{"v6_documentation_2", "3fff::1", false},
        address_case{"teredo", "2001::1", false}, address_case{"orchid", "2001:20::1", false},
        address_case{"six_to_four", "2002:7f00:1::1", false}, address_case{"discard", "100::1", false},
        address_case{"mapped_loopback", "::ffff:127.0.0.1", false}, address_case{"mapped_ten", "::ffff:10.0.0.1", false},
        address_case{"mapped_metadata", "::ffff:169.254.169.254", false}, address_case{"compatible", "::8.8.8.8", false},
        address_case{"nat64_loopback", "64:ff9b::7f00:1", false}, address_case{"nat64_metadata", "64:ff9b::a9fe:a9fe", false},
        address_case{"nat64_local", "64:ff9b:1::808:808", false}, address_case{"outside_global", "4000::1", false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PrivateHost, NamesOfThisHostAreKnownWithoutAsking)
{
    for (const auto* name : {"localhost", "localhost.", "a.b.localhost", "foo.localhost."})
        EXPECT_TRUE(is_private_host(name)) << name;
    for (const auto* name : {"example.com", "localhost.example.com", "notlocalhost"})
        EXPECT_FALSE(is_private_host(name)) << name;
}

struct url_case {
    std::string_view name;
    std::string text;
    std::string want;    // "receiver target", or a part of the refusal
    bool good = true;
};
class WebhookUrl : public ::testing::TestWithParam<url_case> { };
TEST_P(WebhookUrl, IsReadInOneWayOnly)
{
    const auto& c = GetParam();
    const auto got = parse_webhook_url(c.text);
    ASSERT_EQ(got.has_value(), c.good) << (got.has_value() ? got->receiver() : got.error().detail);
    if (c.good) {
        EXPECT_EQ(got->receiver() + " " + got->target, c.want);
        EXPECT_EQ(got->encrypted, c.text.starts_with("https"));
    } else {
        EXPECT_EQ(got.error().code, errc::bad_request);
        EXPECT_NE(got.error().detail.find(c.want), std::string::npos) << got.error().detail;
    }
}
INSTANTIATE_TEST_SUITE_P(Cases, WebhookUrl,
    ::testing::Values(url_case{"plain", "http://example.com/a", "example.com:80 /a"},
        url_case{"https", "https://example.com", "example.com:443 /"},
        url_case{"port_and_query", "https://Example.COM:8443/a/b?c=d&e=%20", "example.com:8443 /a/b?c=d&e=%20"},
        url_case{"query_alone", "http://example.com?x", "example.com:80 /?x"}, url_case{"v4", "http://127.0.0.1:9/", "127.0.0.1:9 /"},
        url_case{"v6", "http://[::1]:9/x", "::1:9 /x"}, url_case{"last_dot", "http://example.com./", "example.com.:80 /"},
        url_case{"digits_in_name", "http://1.example/", "1.example:80 /"},
        url_case{"at_in_path", "http://example.com/@a", "example.com:80 /@a"},
        url_case{"longest", "http://a/" + std::string(2'039, 'x'), "a:80 /" + std::string(2'039, 'x')},
        url_case{"too_long", "http://a/" + std::string(2'040, 'x'), "2048 bytes", false}, url_case{"empty", "", "http://", false},
        url_case{"ftp", "ftp://example.com/", "http://", false}, url_case{"capital_scheme", "HTTP://example.com/", "http://", false},
        url_case{"relative", "//example.com/", "http://", false}, url_case{"user", "http://u:p@example.com/", "user", false},
        url_case{"user_trick", "http://example.com@10.0.0.1/", "user", false},
        url_case{"fragment", "http://example.com/#a", "fragment", false},
        url_case{"space", "http://example.com/a b", "percent-encode", false},
        url_case{"line_end", "http://example.com/\r\nX: y", "percent-encode", false},
        url_case{"not_ascii", "http://ex\xc3\xa4mple.com/", "percent-encode", false},
        url_case{"backslash", "http://example.com\\@a/", "user", false}, url_case{"backslash_host", "http://a\\b/", "host", false},
        url_case{"no_host", "http:///a", "host", false}, url_case{"port_alone", "http://:80/", "host", false},
        url_case{"two_dots", "http://a..b/", "host", false}, url_case{"percent_host", "http://%31/", "host", false},
        url_case{"decimal", "http://2130706433/", "host", false}, url_case{"hexadecimal", "http://0x7f000001/", "host", false},
        url_case{"hexadecimal_part", "http://127.0.0.0x1/", "host", false}, url_case{"octal", "http://0177.0.0.1/", "host", false},
        url_case{"short_v4", "http://127.1/", "host", false}, url_case{"v4_with_dot", "http://127.0.0.1./", "host", false},
        url_case{"large_v4", "http://256.0.0.1/", "host", false}, url_case{"zone", "http://[fe80::1%25eth0]/", "host", false},
        url_case{"open_bracket", "http://[::1/", "host", false}, url_case{"name_in_brackets", "http://[a]/", "host", false},
        url_case{"port_zero", "http://a:0/", "port", false}, url_case{"large_port", "http://a:65536/", "port", false},
        url_case{"no_port", "http://a:/", "port", false}, url_case{"port_junk", "http://a:80x/", "port", false},
        url_case{"behind_bracket", "http://[::1]x/", "port", false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(WebhookIds, AreTheExecutionsUnderAnotherPrefix)
{
    const auto id = delivery_of(execution_id::from_trusted("exe_01m7x13kqs5201wrskaj1s4058"));
    EXPECT_EQ(id.str(), "dlv_01m7x13kqs5201wrskaj1s4058");
    EXPECT_TRUE(delivery_id::parse(id.str()));
}

}    // namespace
}    // namespace caisson
