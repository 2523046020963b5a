#include "app/cli/host_limits.hpp"

#include "tests/storage/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace caisson::cli {

namespace {

using ::testing::HasSubstr;

/// A /proc/sys of its own.
class LookAtHostLimits : public ::testing::Test {
protected:
    LookAtHostLimits()
    {
        set("kernel/pty/max", 4'096);
        set("kernel/pty/reserve", 1'024);
        set("kernel/pid_max", 4'194'304);
        set("kernel/threads-max", 192'731);
        set("fs/file-max", 9'223'372'036'854'775'807);
        config_.executions.max_running = 8;
    }

    void set(const std::string& name, std::int64_t value)
    {
        const auto path = sys_.path() / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << value << "\n";
    }
    std::vector<finding> look() { return look_at_host_limits(config_, sys_.path()); }

    testing::temp_dir sys_;
    server_config config_;
};

TEST_F(LookAtHostLimits, SaysNothingWhereAllIsEnough) { EXPECT_TRUE(look().empty()); }

TEST_F(LookAtHostLimits, SaysNothingOfWhatIsNotThere)
{
    std::filesystem::remove_all(sys_.path() / "kernel");
    std::filesystem::remove_all(sys_.path() / "fs");
    EXPECT_TRUE(look().empty());
}

TEST_F(LookAtHostLimits, NamesANumberThatSandboxesCanUseUp)
{
    config_.executions.max_running = 49;
    const auto found = look();
    ASSERT_EQ(found.size(), 2u) << "terminals: 49 × 64; threads: 49 × 4,096";
    EXPECT_EQ(found[0].what, "host terminals");
    EXPECT_EQ(found[0].state, finding_state::degraded);
    EXPECT_THAT(found[0].detail, HasSubstr("kernel.pty.max leaves 3072 to sandboxes, which may use 3136 together"));
    EXPECT_THAT(found[0].remedy, HasSubstr("sysctl -w kernel.pty.max=4160"));
    EXPECT_EQ(found[1].what, "host processes");
    EXPECT_THAT(found[1].remedy, HasSubstr("sysctl -w kernel.threads-max=200704"));
    EXPECT_TRUE(healthy(found));
}

TEST_F(LookAtHostLimits, AdvisesNothingThatTheKernelRefuses)
{
    set("kernel/pty/max", 1 << 30);
    set("kernel/threads-max", 1 << 30);
    config_.executions.max_running = 1'100;
    const auto found = look();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].remedy, "lower executions.max_running or the limits");
}

TEST_F(LookAtHostLimits, CountsAsFarAsNumbersGo)
{
    config_.executions.max_running = std::int64_t{1} << 40;
    config_.limits.pids.def = config_.limits.open_files.def = std::int64_t{1} << 40;
    set("fs/file-max", 1'000);
    EXPECT_THAT(look().back().detail, HasSubstr("may use 9223372036854775807 together"));
}

TEST_F(LookAtHostLimits, TakesExactlyEnoughForEnough)
{
    set("fs/file-max", 8 * config_.limits.pids.def * config_.limits.open_files.def);
    EXPECT_TRUE(look().empty());
    set("fs/file-max", 8 * config_.limits.pids.def * config_.limits.open_files.def - 1);
    ASSERT_EQ(look().size(), 1u);
    EXPECT_EQ(look()[0].what, "host open files");
}

TEST_F(LookAtHostLimits, AdvisesSettings)
{
    set("kernel/unprivileged_bpf_disabled", 0);
    set("dev/tty/ldisc_autoload", 1);
    set("kernel/modules_disabled", 0);
    set("vm/overcommit_memory", 1);
    const auto found = look();
    ASSERT_EQ(found.size(), 4u);
    for (const auto& each : found)
        EXPECT_EQ(each.state, finding_state::information);
    EXPECT_EQ(found[0].remedy, "sysctl -w kernel.unprivileged_bpf_disabled=2");
    EXPECT_THAT(found[2].remedy, HasSubstr("stays so until a reboot"));
    set("kernel/unprivileged_bpf_disabled", 2);
    set("dev/tty/ldisc_autoload", 0);
    set("kernel/modules_disabled", 1);
    set("vm/overcommit_memory", 2);
    EXPECT_TRUE(look().empty());
}

}    // namespace

}    // namespace caisson::cli
