#include "adapters/bubblewrap/public_rule.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

const host_file shipped{.path = "/etc/services", .is_roots = true, .is_for_all = true, .links = 1, .bytes = 100, .is_as_shipped = true};

struct rule_case {
    std::string_view name;
    void (*change)(host_file&);
    bool want;
};
void PrintTo(const rule_case& c, std::ostream* out) { *out << c.name; }

class PublicRule : public ::testing::TestWithParam<rule_case> { };

TEST_P(PublicRule, SaysWhetherSandboxesSeeAFile)
{
    auto file = shipped;
    GetParam().change(file);
    EXPECT_EQ(is_public(file), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(Cases, PublicRule,
    ::testing::Values(rule_case{"as_shipped", [](auto&) {}, true}, rule_case{"changed", [](auto& f) { f.is_as_shipped = false; }, false},
        rule_case{"of_another_owner", [](auto& f) { f.is_roots = false; }, false},
        rule_case{"not_for_all", [](auto& f) { f.is_for_all = false; }, false},
        rule_case{"second_name", [](auto& f) { f.links = 2; }, false},
        rule_case{"largest", [](auto& f) { f.bytes = largest_public_file; }, true},
        rule_case{"too_large", [](auto& f) { f.bytes = largest_public_file + 1; }, false},
        rule_case{"never", [](auto& f) { f.path = "/etc/ssh/ssh_config"; }, false},
        rule_case{"generated", [](auto& f) { f = {"/etc/ld.so.cache", true, true, 1, 100, false}; }, true},
        rule_case{"generated_for_root_alone", [](auto& f) { f = {"/etc/texmf/web2c/texmf.cnf", true, false, 1, 100, false}; }, false},
        rule_case{"generated_with_a_second_name", [](auto& f) { f = {"/var/lib/texmf/a", true, true, 2, 100, false}; }, false},
        rule_case{"beside_what_is_generated", [](auto& f) { f = {"/etc/texmf/token", true, true, 1, 100, false}; }, false},
        rule_case{"a_key_beside_public_certificates", [](auto& f) { f = {"/etc/ssl/certs/key.pem", true, true, 1, 100, false}; }, false},
        rule_case{"the_administrators_own", [](auto& f) { f = {"/etc/myapp/token", true, true, 1, 100, false}; }, false}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

TEST(NeverPublic, IsWhatDescribesOrRunsTheHost)
{
    for (const auto* path :
        {"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d/a", "/etc/ssh", "/etc/ssh/ssh_host_rsa_key",
            "/etc/ssl/private/a", "/etc/ssl/private", "/etc/machine-id", "/etc/hostname", "/etc/resolv.conf", "/etc/fstab", "/etc/passwd",
            "/etc/cron.d/a", "/etc/rc2.d/a", "/etc/krb5.keytab", "/etc/NetworkManager/a", "/etc/apt/auth.conf.d/a"})
        EXPECT_TRUE(is_never_public(path)) << path;
    for (const auto* path : {"/etc/ssl/openssl.cnf", "/etc/fonts/fonts.conf", "/etc/services", "/etc/sslx", "/etc/php/8.2/cli/php.ini",
             "/etc/alternatives/awk", "/var/lib/texmf/ls-R", "/usr/share/shadow"})
        EXPECT_FALSE(is_never_public(path)) << path;
}

TEST(ShownWhole, IsUsrAndWhatLiesBesideIt)
{
    for (const auto* path : {"/usr/bin/env", "/usr", "/lib/x", "/sbin"})
        EXPECT_TRUE(is_shown_whole(path)) << path;
    for (const auto* path : {"/usrx", "/root/.ssh/id", "/etc/shadow", "/var/lib/secret", "/"})
        EXPECT_FALSE(is_shown_whole(path)) << path;
}

}    // namespace caisson
