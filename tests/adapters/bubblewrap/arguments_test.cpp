#include "adapters/bubblewrap/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace caisson {

namespace {

const bubblewrap_layout layout{.work = "/tmp/work",
    .tmp = "/tmp/tmp",
    .shm = "/tmp/shm",
    .tree = "/tmp/tree",
    .views = {"usr"},
    .view = "/tmp/view",
    .proc = "/tmp/proc",
    .roots = {"etc", "var"},
    .agent_fd = 12,
    .seccomp_fd = 13,
    .info_fd = 14,
    .listen_fd = 3};

host_files host_with(std::set<std::string> files, bool merged_usr)
{
    return {[files](const std::string& path) { return files.contains(path); },
        [merged_usr](const std::string& path) { return merged_usr && path != "/lib32" && path != "/usr" ? "usr" + path : std::string(); },
        [files](const std::string& path) { return files.contains(path + "/mounted"); }};
}

/// The arguments as one text, so that a run of them can be looked for.
std::string joined(const std::vector<std::string>& argv)
{
    std::string text = " ";
    for (const auto& each : argv)
        text += each + " ";
    return text;
}

std::size_t place_of(const std::vector<std::string>& argv, const std::string& what)
{
    const auto text = joined(argv);
    const auto at = text.find(" " + what + " ");
    EXPECT_NE(at, std::string::npos) << what << " is not in" << text;
    return at;
}

/// What the launcher makes of the host by itself.
TEST(WholeSandbox, ShowsLinksAndMasksOfWhatIsThere)
{
    const auto host = host_with({"/proc/kcore", "/proc/pressure"}, true);
    using links = std::vector<std::pair<std::string, std::string>>;
    EXPECT_EQ(program_links(host), (links{{"bin", "usr/bin"}, {"lib", "usr/lib"}, {"lib64", "usr/lib64"}, {"sbin", "usr/sbin"}}));
    EXPECT_EQ(masked_in_proc(host), std::vector<std::string>{"kcore"});
    EXPECT_EQ(hidden_in_proc(host), std::vector<std::string>{"pressure"});
}

TEST(HostFiles, AreLookedAtAnewAfterASecond)
{
    int looks = 0;
    steady_time now(std::chrono::hours(1));
    const auto looked = [&looks](const std::string& path) {
        ++looks;
        return path;
    };
    const auto host = with_memory({[&looks](const std::string&) { return ++looks > 1; }, looked, {}}, [&now] { return now; });
    EXPECT_FALSE(host.exists("/a"));
    EXPECT_EQ(host.link_target("/a"), "/a");
    EXPECT_EQ(host.link_target("/b"), "/b");
    EXPECT_EQ(looks, 3);
    EXPECT_FALSE(host.exists("/a"));
    EXPECT_EQ(host.link_target("/b"), "/b");
    EXPECT_EQ(looks, 3);
    now += std::chrono::seconds(1);
    EXPECT_TRUE(host.exists("/a"));
    EXPECT_EQ(looks, 4);
}

struct viewed_case {
    std::string_view name;
    std::vector<std::string> views;
    bool merged;
    bool want;
};
void PrintTo(const viewed_case& c, std::ostream* out) { *out << c.name; }
class ProgramsViewed : public ::testing::TestWithParam<viewed_case> { };
TEST_P(ProgramsViewed, OnlyIfNothingElseHoldsPrograms)
{
    const auto& c = GetParam();
    EXPECT_EQ(are_programs_viewed(c.views, host_with({"/usr", "/bin", "/lib"}, c.merged)), c.want);
}
INSTANTIATE_TEST_SUITE_P(Cases, ProgramsViewed,
    ::testing::Values(viewed_case{"merged", {"usr"}, true, true}, viewed_case{"not_merged", {"usr", "bin", "lib"}, false, true},
        viewed_case{"mounts_below_bin", {"usr", "lib"}, false, false}, viewed_case{"mounts_below_usr", {}, true, false}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(BubblewrapArguments, AreThisWholeLine)
{
    EXPECT_EQ(joined(bubblewrap_arguments(layout, host_with({"/proc/kallsyms", "/proc/acpi"}, true))),
        " bwrap --unshare-all --unshare-user --disable-userns --uid 1000 --gid 1000 --hostname sandbox --as-pid-1 --cap-drop ALL "
        "--new-session --clearenv"
        " --ro-bind /tmp/view/usr /usr --symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/sbin /sbin"
        " --proc /proc --ro-bind /tmp/proc/sys /proc/sys --ro-bind /dev/null /proc/kallsyms --tmpfs /proc/acpi --remount-ro /proc/acpi"
        " --dev /dev --bind /tmp/shm /dev/shm --remount-ro /dev --bind /tmp/work /workspace --bind /tmp/tmp /tmp"
        " --ro-bind /tmp/tree/0 /etc --ro-bind /tmp/tree/1 /var"
        " --perms 0555 --ro-bind-data 12 /.caisson/agent --seccomp 13 --info-fd 14 --remount-ro / --chdir /workspace"
        " -- /.caisson/agent --confine --listen-fd 3 ");
}

TEST(BubblewrapArguments, TakeWholeDirectoriesThatWereMadeBefore)
{
    auto made = layout;
    made.dev = "/tmp/dev";
    made.trees = {"scripts"};
    made.agent = "/tmp/tree/3/caisson-agent";
    EXPECT_THAT(joined(bubblewrap_arguments(made, host_with({"/proc/kallsyms"}, true))),
        ::testing::HasSubstr(
            " --ro-bind /tmp/dev/null /proc/kallsyms --dev-bind /tmp/dev /dev --bind /tmp/work /workspace"
            " --ro-bind /tmp/tree/0 /workspace/scripts --bind /tmp/tmp /tmp --ro-bind /tmp/tree/1 /etc --ro-bind /tmp/tree/2 /var"
            " --ro-bind /tmp/tree/3/caisson-agent /.caisson/agent --seccomp 13 "));
}

TEST(BubblewrapArguments, MaskOnlyWhatTheHostHas)
{
    const auto none = joined(bubblewrap_arguments(layout, host_with({}, true)));
    EXPECT_EQ(none.find("/dev/null"), std::string::npos);
    EXPECT_EQ(none.find("--tmpfs"), std::string::npos);
}

TEST(BubblewrapArguments, BindTheDirectoriesOfAHostWithoutMergedUsr)
{
    const auto argv = bubblewrap_arguments(layout, host_with({"/bin", "/lib"}, false));
    EXPECT_THAT(joined(argv), ::testing::HasSubstr(" --ro-bind /bin /bin --ro-bind /lib /lib --proc "));
}

TEST(BubblewrapArguments, TakeFromTheHostWhatHasNoView)
{
    auto without = layout;
    without.views = {};
    const auto argv = joined(bubblewrap_arguments(without, host_with({}, true)));
    EXPECT_THAT(argv, ::testing::HasSubstr(" --ro-bind /usr /usr "));
}

TEST(BubblewrapArguments, ViewUsrOfAMergedHost)
{
    EXPECT_THAT(viewable(host_with({"/usr", "/etc", "/bin"}, true)), ::testing::UnorderedElementsAre("usr"));
}

TEST(BubblewrapArguments, ViewTheDirectoriesBesideUsrOfAHostThatIsNotMerged)
{
    EXPECT_THAT(viewable(host_with({"/usr", "/bin", "/sbin"}, false)), ::testing::UnorderedElementsAre("usr", "bin", "sbin"));
}

TEST(BubblewrapArguments, ViewNothingThatHasMountsBelow)
{
    EXPECT_THAT(viewable(host_with({"/usr", "/usr/mounted", "/etc"}, true)), ::testing::IsEmpty());
}

TEST(BubblewrapArguments, LayTheRestOverProcAndMakeTheRootReadOnlyLast)
{
    const auto argv = bubblewrap_arguments(layout, host_with({"/proc/keys"}, true));
    EXPECT_LT(place_of(argv, "--proc /proc"), place_of(argv, "--ro-bind /tmp/proc/sys /proc/sys"));
    EXPECT_LT(place_of(argv, "--dev /dev"), place_of(argv, "--bind /tmp/shm /dev/shm"));
    EXPECT_LT(place_of(argv, "--bind /tmp/shm /dev/shm"), place_of(argv, "--remount-ro /dev"));
    EXPECT_LT(place_of(argv, "--ro-bind-data 12 /.caisson/agent"), place_of(argv, "--remount-ro /"));
    EXPECT_LT(place_of(argv, "--remount-ro /"), place_of(argv, "--chdir /workspace"));
}

}    // namespace

}    // namespace caisson
