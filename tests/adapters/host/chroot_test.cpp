#include "adapters/host/chroot.hpp"

#include <gtest/gtest.h>

namespace caisson {

namespace {

constexpr const char* a_system = "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n22 21 0:5 / /proc rw - proc proc rw\n";
constexpr const char* below_a_directory = "31 21 0:5 / /proc rw - proc proc rw\n32 21 0:6 / /dev rw - devtmpfs dev rw\n";

struct chroot_case {
    std::string_view name;
    root_facts facts;
    bool want;
};

class Chroot : public ::testing::TestWithParam<chroot_case> { };

TEST_P(Chroot, IsToldFromASystemOfItsOwn) { EXPECT_EQ(is_chroot(GetParam().facts), GetParam().want); }

INSTANTIATE_TEST_SUITE_P(Cases, Chroot,
    ::testing::Values(chroot_case{"a_host", {a_system, true, true}, false}, chroot_case{"a_container", {a_system, false, false}, false},
        chroot_case{"the_root_is_no_mount", {below_a_directory, true, false}, true},
        chroot_case{"the_root_is_no_mount_and_init_is_in_it", {below_a_directory, true, true}, true},
        chroot_case{"the_root_is_a_mount_but_not_that_of_init", {a_system, true, false}, true},
        chroot_case{"nothing_is_known", {"", true, true}, false}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

TEST(ChrootOfThisHost, IsNone) { EXPECT_FALSE(is_chroot(real_root_facts())); }

}    // namespace caisson
