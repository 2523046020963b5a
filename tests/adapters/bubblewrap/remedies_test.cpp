#include "adapters/bubblewrap/remedies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace caisson {

namespace {

struct remedy_case {
    std::string_view name;
    std::string_view failure;
    std::string_view want;    // a part of the answer
};

class Remedies : public ::testing::TestWithParam<remedy_case> { };

TEST_P(Remedies, KeepTheFailureAndSayWhatToDo)
{
    const auto text = with_remedy(GetParam().failure);
    EXPECT_THAT(text, ::testing::StartsWith(GetParam().failure));
    EXPECT_THAT(text, ::testing::HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(Cases, Remedies,
    ::testing::Values(remedy_case{"old_bwrap", "bwrap: Unknown option --disable-userns", "0.8 or newer"},
        remedy_case{"container", "bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "systempaths=unconfined"},
        remedy_case{"no_user_namespaces", "the launcher failed: user namespace: Operation not permitted", "unprivileged_userns_clone=1"},
        remedy_case{"no_namespaces", "bwrap: Creating new namespace failed: Operation not permitted", "allow namespaces"},
        remedy_case{"no_namespaces_of_the_launcher", "a process could not be started: fork into new namespaces: Operation not permitted",
            "--cap-add SYS_ADMIN"},
        remedy_case{"apparmor", "bwrap: setting up uid map: Permission denied", "apparmor_restrict_unprivileged_userns=0"},
        remedy_case{"unknown", "something else", "see that bwrap"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(RemediesInAChroot, NameTheChrootWhereItIsTheReason)
{
    for (const auto* failure :
        {"the launcher failed: private mounts: Invalid argument", "the launcher failed: user namespace: Operation not permitted",
            "bwrap: Creating new namespace failed: Operation not permitted"}) {
        const auto text = with_chroot_remedy(failure);
        EXPECT_THAT(text, ::testing::StartsWith(std::string(failure) + ": this system is a chroot"));
        EXPECT_THAT(text, ::testing::HasSubstr("pivot_root(8)"));
        EXPECT_EQ(with_remedy(text), text) << "a second remedy would contradict the first one";
    }
    EXPECT_EQ(with_chroot_remedy("no space left on device"), "no space left on device");
}

}    // namespace

}    // namespace caisson
