#include "app/doors/http/credentials.hpp"

#include <gtest/gtest.h>

namespace caisson::http {
namespace {

net::request with(std::vector<net::header_field> fields)
{
    net::request out;
    for (auto& [name, value] : fields)
        out.fields.add(name, value);
    return out;
}

struct key_case {
    const char* name;
    std::vector<net::header_field> fields;
    std::string want;    // the key, or the words with which the refusal begins
};
void PrintTo(const key_case& c, std::ostream* out) { *out << c.name; }

class PresentedKey : public ::testing::TestWithParam<key_case> { };
TEST_P(PresentedKey, IsTakenOrRefusedInTheWordsOfTheContract)
{
    const auto request = with(GetParam().fields);
    const auto key = presented_key(request);
    const auto said = key.has_value() ? *key : key.error().detail.substr(0, key.error().detail.find(':'));
    EXPECT_EQ(said, GetParam().want);
    EXPECT_EQ(presents_key(request), !GetParam().fields.empty());
}
INSTANTIATE_TEST_SUITE_P(Cases, PresentedKey,
    ::testing::Values(key_case{"bearer", {{"Authorization", "Bearer k"}}, "k"}, key_case{"any_case", {{"authorization", "bEARER k"}}, "k"},
        key_case{"more_blanks", {{"Authorization", "Bearer   k"}}, "k"}, key_case{"own_field", {{"X-API-Key", "k"}}, "k"},
        key_case{"both", {{"Authorization", "Bearer a"}, {"X-API-Key", "b"}}, "a"}, key_case{"none", {}, "missing Authorization header"},
        key_case{"basic", {{"Authorization", "Basic eDp5"}}, "Authorization header must use Bearer scheme"},
        key_case{"basic_beside", {{"Authorization", "Basic eDp5"}, {"X-API-Key", "b"}}, "Authorization header must use Bearer scheme"},
        key_case{"key_alone", {{"Authorization", "csn_x"}}, "Authorization header must use Bearer scheme"},
        key_case{"empty_field", {{"Authorization", ""}}, "Authorization header must use Bearer scheme"},
        key_case{"no_token", {{"Authorization", "Bearer"}}, "empty bearer token"},
        key_case{"blank_token", {{"Authorization", "Bearer  "}}, "empty bearer token"},
        key_case{"two", {{"Authorization", "Bearer a"}, {"authorization", "Bearer b"}}, "Authorization is there more than once"},
        key_case{"two_of_own_field", {{"X-API-Key", "a"}, {"X-API-Key", "a"}}, "X-API-Key is there more than once"},
        key_case{"empty_own_field", {{"X-API-Key", ""}}, "empty X-API-Key header"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(NamesTenant, AbsentAndEmptyAreAnyTenant)
{
    principal who;
    who.tenant = tenant_id::parse("ten_01jd2c00000000000000000000").value();
    who.tenant_name = "acme";
    EXPECT_TRUE(names_tenant(with({}), who));
    EXPECT_TRUE(names_tenant(with({{"X-Tenant-ID", ""}}), who));
    EXPECT_TRUE(names_tenant(with({{"X-Tenant-ID", "acme"}}), who));
    EXPECT_TRUE(names_tenant(with({{"X-Tenant-ID", who.tenant.str()}}), who));
    EXPECT_FALSE(names_tenant(with({{"X-Tenant-ID", "Acme"}}), who));
    EXPECT_FALSE(names_tenant(with({{"X-Tenant-ID", "other"}}), who));
    EXPECT_FALSE(names_tenant(with({{"X-Tenant-ID", "acme"}, {"X-Tenant-ID", "other"}}), who));
}

}    // namespace
}    // namespace caisson::http
