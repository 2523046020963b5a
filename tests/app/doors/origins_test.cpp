#include "app/doors/http/origins.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace caisson::http {

namespace {

net::request request(net::headers fields, std::string peer = "127.0.0.1:5")
{
    net::request out;
    out.fields = std::move(fields);
    out.peer = std::move(peer);
    return out;
}

class Origins : public ::testing::Test {
protected:
    bool opens(net::headers fields, std::string peer = "127.0.0.1:5") const
    {
        return origins(config_).may_open_socket(request(std::move(fields), std::move(peer)));
    }
    std::string base(net::headers fields, std::string peer = "127.0.0.1:5") const
    {
        return origins(config_).base(request(std::move(fields), std::move(peer)));
    }

    server_config config_;
};

TEST_F(Origins, AreTheServersOwnByItsHost)
{
    EXPECT_TRUE(opens({{"Host", "a:1"}}));
    EXPECT_TRUE(opens({{"Host", "a:1"}, {"Origin", "http://A:1"}}));
    EXPECT_TRUE(opens({{"Host", "a"}, {"Origin", "https://a"}})) << "TLS may end in front";
    EXPECT_TRUE(opens({{"Host", "a:443"}, {"Origin", "https://a"}}));
    EXPECT_FALSE(opens({{"Host", "a:1"}, {"Origin", "http://a:2"}}));
    EXPECT_FALSE(opens({{"Host", "a"}, {"Origin", "http://evil"}}));
    EXPECT_FALSE(opens({{"Host", "a"}, {"Origin", "null"}}));
    EXPECT_FALSE(opens({{"Host", "a"}, {"Origin", "http://a"}, {"Origin", "http://evil"}}));
    EXPECT_FALSE(opens({{"Host", "a"}, {"X-Forwarded-Host", "evil"}, {"Origin", "http://evil"}})) << "nobody is trusted";
}

TEST_F(Origins, OfAServerThatSpeaksTlsHaveItsScheme)
{
    config_.http.tls.certificate = "/cert.pem";
    EXPECT_TRUE(opens({{"Host", "a"}, {"Origin", "https://a"}}));
    EXPECT_FALSE(opens({{"Host", "a"}, {"Origin", "http://a"}}));
    EXPECT_EQ(base({{"Host", "a"}}), "https://a");
}

TEST_F(Origins, AreTheServersOwnByWhatATrustedProxySays)
{
    config_.http.trusted_proxies = {"10.0.0.0/8"};
    const net::headers from_outside{{"Host", "inner"}, {"X-Forwarded-Host", "a.example"}, {"X-Forwarded-Proto", "https"}};
    auto with = [&](std::string origin) {
        auto fields = from_outside;
        fields.add("Origin", std::move(origin));
        return fields;
    };
    EXPECT_EQ(base(from_outside, "10.1.1.1:9"), "https://a.example");
    EXPECT_EQ(base(from_outside, "11.1.1.1:9"), "http://inner");
    EXPECT_TRUE(opens(with("https://a.example"), "10.1.1.1:9"));
    EXPECT_FALSE(opens(with("http://a.example"), "10.1.1.1:9")) << "the proxy says https";
    EXPECT_FALSE(opens(with("http://inner"), "10.1.1.1:9"));
    EXPECT_FALSE(opens(with("https://a.example"), "11.1.1.1:9"));
    EXPECT_EQ(base({{"Host", "inner"}, {"X-Forwarded-Host", "evil, a.example"}}, "10.1.1.1:9"), "http://a.example")
        << "the nearest proxy's";
    EXPECT_EQ(base({{"Host", "inner"}, {"X-Forwarded-Host", "evil"}, {"X-Forwarded-Host", "b"}}, "10.1.1.1:9"), "http://b");
    EXPECT_EQ(base({{"Host", "inner"}, {"X-Forwarded-Host", "a/b\"c"}, {"X-Forwarded-Proto", "gopher"}}, "10.1.1.1:9"), "http://inner");
}

TEST_F(Origins, AreTheServersOwnByItsPublicAddressAlone)
{
    config_.http.public_url = "https://Caisson.example/prefix";
    config_.http.trusted_proxies = {"127.0.0.1"};
    EXPECT_EQ(base({{"Host", "a"}, {"X-Forwarded-Host", "b"}}), "https://Caisson.example/prefix");
    EXPECT_TRUE(opens({{"Host", "a"}, {"Origin", "https://caisson.example"}}));
    EXPECT_FALSE(opens({{"Host", "a"}, {"Origin", "https://a"}}));
    EXPECT_FALSE(opens({{"Host", "a"}, {"Origin", "http://caisson.example"}}));
}

TEST_F(Origins, OfOtherPagesAreThoseThatAreAllowed)
{
    config_.http.allowed_origins = {"https://App.example", "http://localhost:3000"};
    EXPECT_TRUE(opens({{"Host", "a"}, {"Origin", "https://app.example"}}));
    EXPECT_TRUE(opens({{"Host", "a"}, {"Origin", "http://localhost:3000"}}));
    EXPECT_FALSE(opens({{"Host", "a"}, {"Origin", "http://localhost"}}));
    EXPECT_FALSE(opens({{"Host", "a"}, {"Origin", "https://x.app.example"}}));
    EXPECT_FALSE(opens({{"Host", "a"}, {"Origin", "https://app.example.evil"}}));
}

std::string told(const server_config& config, net::headers fields, std::string_view name)
{
    net::headers answer;
    origins(config).tell(request(std::move(fields)), answer);
    return std::string(answer.find(name).value_or("-"));
}

TEST_F(Origins, AreToldToBrowsersOfThoseThatAreAllowed)
{
    EXPECT_EQ(told(config_, {{"Origin", "https://app.example"}}, "Vary"), "-");
    config_.http.allowed_origins = {"https://app.example"};
    EXPECT_EQ(told(config_, {}, "Vary"), "Origin");
    EXPECT_EQ(told(config_, {}, "Access-Control-Allow-Origin"), "-");
    EXPECT_EQ(told(config_, {{"Origin", "https://app.example"}}, "Access-Control-Allow-Origin"), "https://app.example");
    EXPECT_NE(told(config_, {{"Origin", "https://app.example"}}, "Access-Control-Expose-Headers").find("X-Request-Id"), std::string::npos);
    EXPECT_EQ(told(config_, {{"Origin", "https://app.example"}}, "Access-Control-Allow-Credentials"), "-");
    EXPECT_EQ(told(config_, {{"Origin", "https://evil"}}, "Access-Control-Allow-Origin"), "-");
    EXPECT_EQ(told(config_, {{"Origin", "https://app.example"}, {"Origin", "https://evil"}}, "Access-Control-Allow-Origin"), "-");
}

}    // namespace

}    // namespace caisson::http
