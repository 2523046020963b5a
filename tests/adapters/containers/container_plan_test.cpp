#include "adapters/containers/container_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace caisson::docker {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr std::int64_t mib = 1 << 20;

sandbox_id an_id() { return sandbox_id::from_trusted("sbx_01jd2c00000000000000000000"); }

sandbox_spec spec()
{
    sandbox_spec out;
    out.id = an_id();
    out.limits = {.memory_bytes = 256 * mib, .cpu_milli = 1500, .pids = 100, .disk_bytes = 32 * mib, .inodes = 5000};
    out.image = "python:3.12-slim";
    return out;
}

container_settings settings()
{
    container_settings out;
    out.instance = "one";
    out.agent = "/opt/caisson-agent";
    out.image = "busybox";
    return out;
}

TEST(ContainerPlan, OfASandboxOverStdio)
{
    const auto planned = plan_container(spec(), settings());
    EXPECT_EQ(planned.name, "caisson-sbx_01jd2c00000000000000000000");
    EXPECT_EQ(planned.image, "python:3.12-slim");
    EXPECT_EQ(planned.engine_runtime, "runc");
    EXPECT_EQ(planned.user, "1000:1000");
    EXPECT_THAT(planned.entrypoint, ElementsAre("/.caisson/agent", "--work", "/workspace", "--stdio"));
    EXPECT_TRUE(planned.open_stdin);
    EXPECT_TRUE(planned.environment.empty());
    EXPECT_THAT(planned.labels,
        UnorderedElementsAre(Pair("caisson.instance", "one"), Pair("caisson.runtime", "docker"), Pair("caisson.sandbox", an_id().str()),
            Pair("caisson.link", "stdio"), Pair("caisson.work", "/workspace"), Pair("caisson.image", planned.image)));
    EXPECT_EQ(planned.memory_bytes, (256 + 32 + 64) * mib);
    EXPECT_EQ(planned.cpu_milli, 1500);
    EXPECT_EQ(planned.pids, 102);
    EXPECT_EQ(planned.shm_bytes, 32 * mib);
}

TEST(ContainerPlan, ReadsNoMoreOfDisksThanItMay)
{
    auto bounded = settings();
    bounded.disks = {"/dev/vda", "/dev/vdb"};
    bounded.disk_reads = {.bytes_per_s = 5, .reads_per_s = 7};
    const auto planned = plan_container(spec(), bounded);
    EXPECT_THAT(planned.disks, ElementsAre("/dev/vda", "/dev/vdb"));
    EXPECT_EQ(planned.disk_reads.bytes_per_s, 5);
    EXPECT_EQ(planned.disk_reads.reads_per_s, 7);
}

TEST(ContainerPlan, WritesOnlyToMemoryWithLimits)
{
    const auto planned = plan_container(spec(), settings());
    ASSERT_EQ(planned.tmpfs.size(), 2u);
    EXPECT_EQ(planned.tmpfs[0].path, "/workspace");
    EXPECT_EQ(planned.tmpfs[0].mode, 0700u);
    EXPECT_EQ(planned.tmpfs[1].path, "/tmp");
    EXPECT_EQ(planned.tmpfs[1].mode, 01777u);
    for (const auto& each : planned.tmpfs) {
        EXPECT_EQ(each.bytes, 32 * mib);
        EXPECT_EQ(each.inodes, 5000);
        EXPECT_EQ(each.uid, 1000);
    }
    ASSERT_EQ(planned.binds.size(), 1u);
    EXPECT_EQ(planned.binds[0].source, "/opt/caisson-agent");
    EXPECT_EQ(planned.binds[0].target, "/.caisson/agent");
    EXPECT_FALSE(planned.binds[0].is_volume);
}

struct change_case {
    const char* name;
    std::function<void(sandbox_spec&, container_settings&)> change;
    std::function<void(const container_spec&)> check;
};

void PrintTo(const change_case& of, std::ostream* out) { *out << of.name; }

class ContainerPlanChange : public ::testing::TestWithParam<change_case> { };

TEST_P(ContainerPlanChange, ChangesThePlan)
{
    auto wanted = spec();
    auto how = settings();
    GetParam().change(wanted, how);
    GetParam().check(plan_container(wanted, how));
}

INSTANTIATE_TEST_SUITE_P(Cases, ContainerPlanChange,
    ::testing::Values(    //
        change_case{"no_image", [](auto& spec, auto&) { spec.image.clear(); }, [](const auto& plan) { EXPECT_EQ(plan.image, "busybox"); }},
        change_case{"work_directory", [](auto& spec, auto&) { spec.work_directory = "/sandbox"; },
            [](const auto& plan) {
                EXPECT_EQ(plan.tmpfs[0].path, "/sandbox");
                EXPECT_EQ(plan.entrypoint[2], "/sandbox");
                EXPECT_EQ(work_directory_of(plan.labels), "/sandbox");
            }},
        change_case{"trees",
            [](auto& spec, auto&) {
                spec.work_directory = "/sandbox";
                spec.trees = {{"/data/skills/x", "scripts"}};
            },
            [](const auto& plan) {
                ASSERT_EQ(plan.binds.size(), 2u);
                EXPECT_EQ(plan.binds[1].source, "/data/skills/x");
                EXPECT_EQ(plan.binds[1].target, "/sandbox/scripts");
            }},
        change_case{"volume",
            [](auto&, auto& how) {
                how.entry = agent_entry::volume;
                how.agent = "caisson-agent-0011223344556677";
            },
            [](const auto& plan) {
                EXPECT_EQ(plan.entrypoint[0], "/.caisson/bin/agent");
                EXPECT_EQ(plan.binds[0].source, "caisson-agent-0011223344556677");
                EXPECT_EQ(plan.binds[0].target, "/.caisson/bin");
                EXPECT_TRUE(plan.binds[0].is_volume);
                EXPECT_FALSE(plan.binds[0].filling);
            }},
        change_case{"socket",
            [](auto&, auto& how) {
                how.link = agent_way::socket;
                how.link_directory = "/data/run/x/link";
                how.user = "700001:700001";
                how.binds = {{"/data/run/x/passwd", "/etc/passwd"}};
            },
            [](const auto& plan) {
                EXPECT_THAT(plan.entrypoint, ElementsAre("/.caisson/agent", "--work", "/workspace", "--connect", "/.caisson/link/s"));
                EXPECT_FALSE(plan.open_stdin);
                ASSERT_EQ(plan.binds.size(), 3u);
                EXPECT_EQ(plan.binds[1].source, "/data/run/x/link");
                EXPECT_EQ(plan.binds[1].target, "/.caisson/link");
                EXPECT_EQ(plan.binds[2].target, "/etc/passwd");
                EXPECT_EQ(plan.tmpfs[0].uid, 700001);
                EXPECT_FALSE(takes_stdio(plan.labels));
            }},
        change_case{"gvisor",
            [](auto&, auto& how) {
                how.runtime = "gvisor";
                how.engine_runtime = "runsc";
                how.counts_threads = true;
            },
            [](const auto& plan) {
                EXPECT_EQ(plan.engine_runtime, "runsc");
                EXPECT_EQ(plan.labels.at("caisson.runtime"), "gvisor");
                EXPECT_EQ(plan.pids, 102 * 10 + 256) << "threads of its kernel on the host";
            }},
        change_case{"tiny_disk", [](auto& spec, auto&) { spec.limits.disk_bytes = 4096; },
            [](const auto& plan) { EXPECT_EQ(plan.shm_bytes, mib); }},
        change_case{"large_disk", [](auto& spec, auto&) { spec.limits.disk_bytes = 1024 * mib; },
            [](const auto& plan) { EXPECT_EQ(plan.shm_bytes, 64 * mib); }},
        change_case{"prefix", [](auto&, auto& how) { how.name_prefix = "mine-"; },
            [](const auto& plan) { EXPECT_EQ(plan.name, "mine-" + an_id().str()); }}),
    [](const auto& info) { return std::string(info.param.name); });

struct owner_case {
    const char* name;
    std::map<std::string, std::string> change;
    bool ours;
};

class ContainerOwner : public ::testing::TestWithParam<owner_case> { };

TEST_P(ContainerOwner, IsToldByLabels)
{
    auto labels = plan_container(spec(), settings()).labels;
    for (const auto& [name, value] : GetParam().change)
        labels[name] = value;
    const auto found = sandbox_of(labels, settings());
    ASSERT_EQ(found.has_value(), GetParam().ours);
    if (found)
        EXPECT_EQ(*found, an_id());
}

INSTANTIATE_TEST_SUITE_P(Cases, ContainerOwner,
    ::testing::Values(    //
        owner_case{"own", {}, true}, owner_case{"another_instance", {{"caisson.instance", "two"}}, false},
        owner_case{"no_instance", {{"caisson.instance", ""}}, false}, owner_case{"another_runtime", {{"caisson.runtime", "gvisor"}}, false},
        owner_case{"no_id", {{"caisson.sandbox", "sbx_"}}, false}, owner_case{"hostile_id", {{"caisson.sandbox", "../../x"}}, false},
        owner_case{"more_labels", {{"com.example", "x"}}, true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ContainerLabels, ListThoseOfTheInstanceOrOfOneSandbox)
{
    EXPECT_THAT(own_labels(settings()), ElementsAre("caisson.instance=one", "caisson.runtime=docker"));
    EXPECT_THAT(labels_of_sandbox(an_id(), settings()),
        ElementsAre("caisson.instance=one", "caisson.runtime=docker", "caisson.sandbox=" + an_id().str()));
}

TEST(ContainerUser, IsANumberAndNeverRoot)
{
    EXPECT_EQ(uid_of("1000:1000"), 1000);
    EXPECT_EQ(uid_of("65534"), 65534);
    for (const char* wrong : {"", "0", "0:0", "root", "1000x:1", "-1:1", ":"})
        EXPECT_FALSE(uid_of(wrong)) << wrong;
}

}    // namespace
}    // namespace caisson::docker
