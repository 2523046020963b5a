#include "adapters/engine/containers.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace caisson::docker {
namespace {

namespace json = boost::json;

container_spec whole_spec()
{
    container_spec out;
    out.name = "caisson-sb1";
    out.image = "python:3.12-slim";
    out.engine_runtime = "runsc";
    out.entrypoint = {"/.caisson/agent", "--stdio"};
    out.environment = {"PATH=/usr/bin", "TZ"};
    out.user = "1000:1000";
    out.working_directory = "/sandbox";
    out.labels = {{"caisson.instance", "i1"}, {"caisson.sandbox", "sb1"}};
    out.tmpfs = {{"/sandbox", 1'000'000, 500, 0700, 1000, true}, {"/tmp", 2'000'000, 0, 01777, std::nullopt, false},
        {"/data", 4'096, 1, 0555, std::nullopt, false, true}};
    out.binds = {{"/srv/agent", "/.caisson/agent"}, {"caisson-agent-1", "/.caisson/v", true}, {"caisson-agent-2", "/fill", true, true}};
    out.open_stdin = true;
    out.memory_bytes = 64 << 20;
    out.cpu_milli = 1'500;
    out.cpu_shares = 512;
    out.pids = 64;
    out.shm_bytes = 1 << 20;
    out.disks = {"/dev/vda"};
    out.disk_reads = {.bytes_per_s = 1'000, .reads_per_s = 50};
    return out;
}

TEST(ContainerJson, IsHardenedAsAWhole)
{
    const auto want = json::parse(R"({
        "Image": "python:3.12-slim",
        "Entrypoint": ["/.caisson/agent", "--stdio"], "Cmd": [],
        "Env": ["PATH=/usr/bin", "TZ"],
        "Hostname": "sandbox", "User": "1000:1000",
        "WorkingDir": "/sandbox",
        "Labels": {"caisson.instance": "i1", "caisson.sandbox": "sb1"},
        "Tty": false, "AttachStdin": false, "AttachStdout": false, "AttachStderr": false,
        "OpenStdin": true, "StdinOnce": false, "StopSignal": "SIGKILL",
        "Healthcheck": {"Test": ["NONE"]},
        "HostConfig": {
            "Privileged": false, "CapAdd": [], "CapDrop": ["ALL"],
            "SecurityOpt": ["no-new-privileges"],
            "ReadonlyRootfs": true,
            "MaskedPaths": ["/proc/acpi", "/proc/asound", "/proc/cmdline", "/proc/interrupts", "/proc/kallsyms", "/proc/kcore",
                "/proc/key-users", "/proc/keys", "/proc/latency_stats", "/proc/locks", "/proc/pressure", "/proc/sched_debug", "/proc/scsi",
                "/proc/sysrq-trigger", "/proc/timer_list", "/proc/timer_stats", "/sys"],
            "NetworkMode": "none", "IpcMode": "private", "CgroupnsMode": "private", "PidMode": "", "UTSMode": "",
            "PublishAllPorts": false,
            "LogConfig": {"Type": "none", "Config": {}},
            "RestartPolicy": {"Name": "no", "MaximumRetryCount": 0},
            "AutoRemove": false, "Init": false, "OomKillDisable": false, "OomScoreAdj": 900,
            "Runtime": "runsc",
            "ShmSize": 1048576, "Memory": 67108864, "MemorySwap": 67108864,
            "NanoCpus": 1500000000, "CpuShares": 512, "PidsLimit": 64,
            "BlkioDeviceReadBps": [{"Path": "/dev/vda", "Rate": 1000}], "BlkioDeviceReadIOps": [{"Path": "/dev/vda", "Rate": 50}],
            "Tmpfs": {
                "/sandbox": "rw,nosuid,nodev,exec,mode=0700,size=1000000,nr_inodes=500,uid=1000,gid=1000",
                "/tmp": "rw,nosuid,nodev,noexec,mode=01777,size=2000000",
                "/data": "ro,nosuid,nodev,noexec,mode=0555,size=4096,nr_inodes=1"},
            "Mounts": [
                {"Type": "bind", "Source": "/srv/agent", "Target": "/.caisson/agent", "ReadOnly": true,
                 "BindOptions": {"Propagation": "rprivate"}},
                {"Type": "volume", "Source": "caisson-agent-1", "Target": "/.caisson/v", "ReadOnly": true,
                 "VolumeOptions": {"NoCopy": true}},
                {"Type": "volume", "Source": "caisson-agent-2", "Target": "/fill", "ReadOnly": false,
                 "VolumeOptions": {"NoCopy": true}}]
        }})");
    EXPECT_EQ(json::value(to_json(whole_spec())), want) << json::serialize(to_json(whole_spec()));
}

TEST(ContainerJson, LeavesOutLimitsThatAreNotSet)
{
    container_spec without_disks;
    without_disks.disk_reads = {.bytes_per_s = 1'000, .reads_per_s = 50};
    const auto bare = to_json(without_disks);
    const auto& host = bare.at("HostConfig").as_object();
    for (const auto* name : {"Memory", "MemorySwap", "MemorySwappiness", "NanoCpus", "CpuShares", "PidsLimit", "BlkioDeviceReadBps",
             "BlkioDeviceReadIOps", "Binds", "Devices"})
        EXPECT_FALSE(host.contains(name)) << name;
    EXPECT_EQ(host.at("ShmSize"), 64 << 20);
    EXPECT_EQ(host.at("Runtime"), "runc");
    EXPECT_EQ(bare.at("OpenStdin"), false);
}

std::string inspected(std::string_view state)
{
    return R"({"Id":"3177dc19","Created":"2026-11-22T07:08:07.711584209Z","State":)" + std::string(state) +
           R"(,"Image":"sha256:05dd2ed3","Name":"/caisson-sb1","HostConfig":{},"Config":{"Image":"busybox:test","Labels":{"a":"b"}}})";
}

TEST(ContainerInfo, IsReadFromAnInspection)
{
    const auto got = container_info_from(json::parse(inspected(
        R"({"Status":"exited","Running":false,"OOMKilled":true,"Pid":15614,"ExitCode":137,"Error":"it broke","StartedAt":"x"})")));
    EXPECT_EQ(got.id, "3177dc19");
    EXPECT_EQ(got.name, "caisson-sb1");
    EXPECT_EQ(got.image, "busybox:test");
    EXPECT_EQ(got.image_digest, "sha256:05dd2ed3");
    EXPECT_EQ(got.state, container_state::exited);
    EXPECT_EQ(got.pid, 15614);
    EXPECT_EQ(got.exit_code, 137);
    EXPECT_TRUE(got.oom_killed);
    EXPECT_EQ(got.error, "it broke");
    EXPECT_EQ(got.labels, (std::map<std::string, std::string>{{"a", "b"}}));
}

struct state_case {
    std::string name;
    container_state want;
};
class ContainerState : public ::testing::TestWithParam<state_case> { };
TEST_P(ContainerState, IsKnown)
{
    const auto& c = GetParam();
    EXPECT_EQ(container_info_from(json::parse(inspected(R"({"Status":")" + c.name + "\"}"))).state, c.want);
}
INSTANTIATE_TEST_SUITE_P(Cases, ContainerState,
    ::testing::Values(state_case{"created", container_state::created}, state_case{"running", container_state::running},
        state_case{"paused", container_state::paused}, state_case{"restarting", container_state::restarting},
        state_case{"removing", container_state::removing}, state_case{"exited", container_state::exited},
        state_case{"dead", container_state::dead}),
    [](const auto& info) { return info.param.name; });

struct foreign_case {
    std::string_view name;
    std::string text;
};
class ForeignContainer : public ::testing::TestWithParam<foreign_case> { };
TEST_P(ForeignContainer, IsRefused) { EXPECT_THROW(container_info_from(json::parse(GetParam().text)), std::exception); }
INSTANTIATE_TEST_SUITE_P(Cases, ForeignContainer,
    ::testing::Values(foreign_case{"null", "null"}, foreign_case{"array", "[]"}, foreign_case{"empty", "{}"},
        foreign_case{"no_state", R"({"Id":"a","Config":{}})"}, foreign_case{"null_state", inspected("null")},
        foreign_case{"unknown_state", inspected(R"({"Status":"sleeping"})")}, foreign_case{"state_no_text", inspected(R"({"Status":1})")},
        foreign_case{"pid_no_number", inspected(R"({"Status":"running","Pid":"1"})")},
        foreign_case{"oom_no_flag", inspected(R"({"Status":"running","OOMKilled":1})")},
        foreign_case{"no_id", R"({"State":{"Status":"running"},"Config":{}})"},
        foreign_case{"label_no_text", R"({"Id":"a","State":{"Status":"running"},"Config":{"Labels":{"a":1}}})"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ContainerSummary, IsReadFromAList)
{
    const auto got = container_summary_from(
        json::parse(R"j({"Id":"31","Names":["/caisson-sb1"],"State":"paused","Status":"Up 1 second (Paused)","Labels":{"a":"b"}})j"));
    EXPECT_EQ(got.id, "31");
    EXPECT_EQ(got.name, "caisson-sb1");
    EXPECT_EQ(got.state, container_state::paused);
    EXPECT_EQ(got.labels.at("a"), "b");
    EXPECT_TRUE(container_summary_from(json::parse(R"({"Id":"31","Names":null,"State":"dead","Labels":null})")).name.empty());
}

struct stats_case {
    std::string_view name;
    std::string_view text;
    std::optional<std::int64_t> cpu_us;
    std::optional<std::int64_t> memory;
    std::optional<std::int64_t> peak;
    std::optional<std::int64_t> pids;
};
class ContainerStats : public ::testing::TestWithParam<stats_case> { };
TEST_P(ContainerStats, AreRead)
{
    const auto& c = GetParam();
    const auto got = container_stats_from(json::parse(c.text));
    EXPECT_EQ(got.cpu_us, c.cpu_us);
    EXPECT_EQ(got.memory_bytes, c.memory);
    EXPECT_EQ(got.memory_peak_bytes, c.peak);
    EXPECT_EQ(got.pids, c.pids);
}
INSTANTIATE_TEST_SUITE_P(Cases, ContainerStats,
    ::testing::Values(stats_case{"cgroup_v1",
                          R"({"read":"2026-11-22T07:08:08.380148823Z","preread":"0001-01-01T00:00:00Z","pids_stats":{"current":1},
                "cpu_stats":{"cpu_usage":{"total_usage":23644067,"percpu_usage":[107345,23536722],"usage_in_kernelmode":10000000,
                "usage_in_usermode":0},"system_cpu_usage":2287290000000,"online_cpus":2},
                "memory_stats":{"usage":2035712,"max_usage":4345856,"stats":{"active_anon":4096,"cache":1232896},"limit":67108864}})",
                          23'644, 2'035'712, 4'345'856, 1},
        stats_case{"cgroup_v2",
            R"({"read":"2026-11-22T07:08:08.380148823Z","pids_stats":{"current":3,"limit":18446744073709551615},
                "cpu_stats":{"cpu_usage":{"total_usage":51000000,"usage_in_kernelmode":1,"usage_in_usermode":2},"online_cpus":2},
                "memory_stats":{"usage":999424,"stats":{"anon":4096,"file":0},"limit":67108864}})",
            51'000, 999'424, std::nullopt, 3},
        stats_case{"not_running",
            R"({"read":"0001-01-01T00:00:00Z","preread":"0001-01-01T00:00:00Z","pids_stats":{},"blkio_stats":{},"num_procs":0,
                "cpu_stats":{"cpu_usage":{"total_usage":0,"usage_in_kernelmode":0}},"memory_stats":{},"name":"/x","id":"1"})",
            std::nullopt, std::nullopt, std::nullopt, std::nullopt},
        stats_case{"without_groups", R"({"read":"2026-11-22T07:08:08Z","pids_stats":{},"cpu_stats":null,"memory_stats":{}})", std::nullopt,
            std::nullopt, std::nullopt, std::nullopt},
        stats_case{"beyond_63_bits", R"({"read":"2026-11-22T07:08:08Z","memory_stats":{"usage":18446744073709551615}})", std::nullopt,
            INT64_MAX, std::nullopt, std::nullopt}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ContainerStats, OfSomethingElseAreRefused)
{
    for (const auto* text : {"{}", "[]", R"({"read":1})", R"({"read":"2026","memory_stats":{"usage":"much"}})"})
        EXPECT_THROW(container_stats_from(json::parse(text)), std::exception) << text;
}

}    // namespace
}    // namespace caisson::docker
