#include "core/async/deadline.hpp"
#include "tests/adapters/containers/real_engine.hpp"

namespace caisson::docker {
namespace {

using caisson::testing::tar_members;
using caisson::testing::tar_of;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(RealEngine, TellsOfItself)
{
    const auto got = run(here->on.info(soon()));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_FALSE(got->version.empty());
    EXPECT_THAT(got->runtimes, ::testing::Contains("runc"));
    EXPECT_GT(got->memory_bytes, 0);
}

TEST_F(RealEngine, AContainerLivesItsWholeLife)
{
    auto& all = here->all;
    const auto id = create(spec_of({"/bin/sleep", "1000"}));
    EXPECT_EQ(state_of(id), container_state::created);
    EXPECT_FALSE(run(all.stats(id, soon())).value().pids) << "it does not run";
    EXPECT_TRUE(run(all.kill(id, "", soon())).has_value());
    EXPECT_TRUE(run(all.start(id, soon())).has_value());
    EXPECT_TRUE(run(all.start(id, soon())).has_value()) << "again";
    const auto info = run(all.inspect(id, soon())).value();
    EXPECT_EQ(info.state, container_state::running);
    EXPECT_EQ(info.id, id);
    EXPECT_EQ(info.image, image);
    EXPECT_EQ(info.image_digest, run(here->store.inspect(image, soon())).value().id);
    EXPECT_GT(info.pid, 0);
    EXPECT_EQ(info.labels.at("caisson.test"), mark);

    EXPECT_TRUE(run(all.pause(id, soon())).has_value());
    EXPECT_EQ(state_of(id), container_state::paused);
    const auto paused_again = run(all.pause(id, soon()));
    EXPECT_EQ(paused_again.error().code, errc::conflict) << paused_again.error().detail;
    EXPECT_TRUE(run(all.unpause(id, soon())).has_value());
    const auto resumed_again = run(all.unpause(id, soon()));
    EXPECT_EQ(resumed_again.error().code, errc::conflict) << resumed_again.error().detail;

    const auto used = run(all.stats(id, soon())).value();
    EXPECT_EQ(used.pids, 1);
    EXPECT_GT(used.cpu_us.value_or(0), 0);
    EXPECT_GT(used.memory_bytes.value_or(0), 0);

    EXPECT_TRUE(run(all.kill(id, "", soon())).has_value());
    EXPECT_EQ(run(all.wait(id)).value(), 137);
    EXPECT_EQ(run(all.inspect(id, soon())).value().exit_code, 137);
    EXPECT_TRUE(run(all.kill(id, "SIGTERM", soon())).has_value()) << "it has ended";
    EXPECT_TRUE(run(all.remove(id, soon())).has_value());
    EXPECT_TRUE(run(all.remove(id, soon())).has_value()) << "again";
    EXPECT_EQ(run(all.inspect(id, soon())).error().code, errc::not_found);
    EXPECT_EQ(run(all.wait(id)).error().code, errc::not_found);
    EXPECT_EQ(run(all.kill(id, "", soon())).error().code, errc::not_found);
}

TEST_F(RealEngine, AContainerIsConfined)
{
    const auto seen = output_of(spec_of({}), R"(cat /proc/self/status
        touch /x && echo wrote the root; touch /etc/x && echo wrote etc; touch /.caisson-x && echo wrote it
        ls /sys | wc -l; hostname; cat /proc/net/dev /proc/mounts /proc/cmdline; id; env)");
    for (const auto* line :
        {"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000",
            "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2", "Uid:\t1000\t1000", "Gid:\t1000\t1000"})
        EXPECT_THAT(seen, HasSubstr(line));
    EXPECT_THAT(seen, Not(HasSubstr("wrote")));
    EXPECT_THAT(seen, HasSubstr("uid=1000 gid=1000"));
    EXPECT_THAT(seen, HasSubstr("0\nsandbox\nInter-|")) << "no /sys, a fixed name, no command line of the kernel";
    EXPECT_THAT(seen, HasSubstr("    lo:"));
    EXPECT_THAT(seen, Not(HasSubstr("BOOT_IMAGE")));
    EXPECT_THAT(seen, Not(HasSubstr("eth0")));
    EXPECT_THAT(seen, HasSubstr("tmpfs /sandbox tmpfs rw,nosuid,nodev,relatime,size=1024k,nr_inodes=32,mode=700,uid=1000,gid=1000"));
    EXPECT_THAT(seen, HasSubstr("tmpfs /tmp tmpfs rw,nosuid,nodev,noexec,relatime,size=2048k"));
    EXPECT_THAT(seen, HasSubstr("shm /dev/shm tmpfs rw,nosuid,nodev,noexec,relatime,size=1024k"));
    EXPECT_THAT(seen, HasSubstr("OF_SPEC=2"));
}

TEST_F(RealEngine, AContainersDisksAreBounded)
{
    const auto seen = output_of(spec_of({}), R"(cd /sandbox
        dd if=/dev/zero of=big bs=1024 count=2048 2>/dev/null || echo full; ls -l big
        echo '#!/bin/sh' > run; echo 'echo it runs' >> run
        i=0; rm big 2>/dev/null || /bin/busybox rm big
        echo '#!/bin/sh' > run; echo 'echo it runs' >> run; /bin/busybox chmod 755 run; ./run
        while touch f$i 2>/dev/null; do i=$((i+1)); test $i -lt 100 || break; done; echo files $i
        echo 'echo it runs' > /tmp/run; /bin/busybox chmod 755 /tmp/run; /tmp/run 2>/dev/null || echo no programs in tmp)");
    EXPECT_THAT(seen, HasSubstr("full\n"));
    EXPECT_THAT(seen, HasSubstr("1048576"));
    EXPECT_THAT(seen, HasSubstr("it runs\n"));
    EXPECT_THAT(seen, HasSubstr("files 30\n")) << "of 32 inodes the directory and the program have one each";
    EXPECT_THAT(seen, HasSubstr("no programs in tmp\n"));
}

TEST_F(RealEngine, AContainerOutOfMemorySaysSo)
{
    bool is_told = false;
    constexpr int tries = 5;    // an engine that hears of the memory after the end does not say so
    for (int i = 0; i < tries && !is_told; ++i) {
        auto spec = spec_of({"/bin/sh", "-c", "x=a; while true; do x=$x$x; done"});
        spec.memory_bytes = 16 << 20;
        const auto id = start(spec);
        EXPECT_EQ(run(here->all.wait(id)).value(), 137);
        is_told = run(here->all.inspect(id, soon())).value().oom_killed;
    }
    EXPECT_TRUE(is_told);
}

TEST_F(RealEngine, AContainersEndIsWaitedFor)
{
    const auto id = start(spec_of({"/bin/sh", "-c", "exit 42"}));
    EXPECT_EQ(run(here->all.wait(id)).value(), 42);
    EXPECT_EQ(run(here->all.wait(id)).value(), 42) << "also after it";
    const auto second = start(spec_of({"/bin/sleep", "1000"}));
    auto both = race(here->all.wait(second), here->time.wait_for(50ms));
    EXPECT_EQ(run(std::move(both)).index(), 1u) << "it goes on";
    EXPECT_TRUE(run(here->all.kill(second, "SIGKILL", soon())).has_value());
    EXPECT_EQ(run(here->all.wait(second)).value(), 137);
}

TEST_F(RealEngine, WhatCannotBeMadeOrStartedIsAnError)
{
    auto spec = spec_of({"/bin/sleep", "1000"});
    const auto id = create(spec);
    EXPECT_EQ(run(here->all.create(spec, soon())).error().code, errc::conflict) << "the name is taken";
    spec = spec_of({"/bin/true"});
    spec.image = mark + ":nosuch";
    EXPECT_EQ(run(here->all.create(spec, soon())).error().code, errc::not_found);
    spec = spec_of({"/bin/true"});
    spec.binds = {{"/no/such/file", "/x"}};
    EXPECT_EQ(run(here->all.create(spec, soon())).error().code, errc::bad_request);
    const auto broken = create(spec_of({"/no/such/program"}));
    const auto started = run(here->all.start(broken, soon()));
    ASSERT_TRUE(started.has_error());
    EXPECT_EQ(started.error().code, errc::bad_request) << started.error().detail;
    EXPECT_THAT(started.error().detail, HasSubstr("/no/such/program"));
    spec = spec_of({"/bin/true"});
    spec.engine_runtime = "nosuch";
    const auto other = run(here->all.create(spec, soon()));
    ASSERT_TRUE(other.has_error());
    EXPECT_THAT(other.error().detail, HasSubstr("nosuch"));
}

TEST_F(RealEngine, ArchivesGoInAndOut)
{
    volumes.push_back(mark + "-volume");
    auto filling = spec_of({"/bin/true"});
    filling.binds = {{volumes.back(), "/fill", true, true}};
    const auto filler = create(filling);
    const auto tar = tar_of({{"tool", "#!/bin/sh\necho it came\n", 0755}, {"more/deep", std::string(100'000, 'd')}});
    ASSERT_TRUE(run(here->all.put_archive(filler, "/fill", tar, soon())).has_value());
    EXPECT_TRUE(run(here->all.remove(filler, soon())).has_value()) << "the volume has a name and stays";

    auto using_it = spec_of({});
    using_it.binds = {{volumes.back(), "/.caisson", true}};
    EXPECT_EQ(output_of(using_it, "/.caisson/tool; touch /.caisson/x 2>/dev/null || echo read-only"), "it came\nread-only\n");

    using_it = spec_of({"/bin/true"});
    using_it.binds = {{volumes.back(), "/.caisson", true}};
    const auto id = create(using_it);
    const auto out = run(here->all.get_archive(id, "/.caisson/more/deep", 1 << 20, soon()));
    ASSERT_TRUE(out.has_value()) << out.error().detail;
    const auto members = tar_members(*out);
    ASSERT_EQ(members.size(), 1u);
    EXPECT_EQ(members[0].content, std::string(100'000, 'd'));
    EXPECT_EQ(tar_members(run(here->all.get_archive(id, "/etc/greeting", 1 << 20, soon())).value()).at(0).content, "hello\n");
    EXPECT_EQ(run(here->all.get_archive(id, "/bin/busybox", 10'000, soon())).error().code, errc::too_large);
    EXPECT_EQ(run(here->all.get_archive(id, "/no/such", 10'000, soon())).error().code, errc::not_found);
    const auto refused = run(here->all.put_archive(id, "/", tar, soon()));
    ASSERT_TRUE(refused.has_error()) << "its root is read-only";
    EXPECT_THAT(refused.error().detail, HasSubstr("read-only"));
}

TEST_F(RealEngine, ContainersAreListedByTheirLabels)
{
    auto spec = spec_of({"/bin/true"});
    spec.labels["caisson.kind"] = "a=\"b\" &\xc3\xa4";
    const auto one = create(spec);
    const auto two = start(spec_of({"/bin/sleep", "1000"}));
    const auto both = run(here->all.list({"caisson.test=" + mark}, soon())).value();
    ASSERT_EQ(both.size(), 2u);
    const auto kind = run(here->all.list({"caisson.test=" + mark, "caisson.kind=a=\"b\" &\xc3\xa4"}, soon())).value();
    ASSERT_EQ(kind.size(), 1u);
    EXPECT_EQ(kind[0].id, one);
    EXPECT_EQ(kind[0].name, spec.name);
    EXPECT_EQ(kind[0].state, container_state::created);
    EXPECT_EQ(kind[0].labels, spec.labels);
    EXPECT_TRUE(run(here->all.list({"caisson.test=" + mark, "caisson.kind=other"}, soon())).value().empty());
}

TEST_F(RealEngine, ARunningContainerIsRemovedByTwoAtOnce)
{
    const auto id = start(spec_of({"/bin/sleep", "1000"}));
    result<void> first;
    result<void> second;
    auto one = [](containers* all, std::string what, steady_time until, result<void>* into) -> task<> {
        *into = co_await all->remove(std::move(what), until);
    };
    asio::co_spawn(here->context, one(&here->all, id, soon(), &first), [](std::exception_ptr) { });
    second = run(here->all.remove(id, soon()));
    here->context.run();
    EXPECT_TRUE(first.has_value()) << first.error().detail;
    EXPECT_TRUE(second.has_value()) << second.error().detail;
    EXPECT_EQ(run(here->all.inspect(id, soon())).error().code, errc::not_found);
}

TEST_F(RealEngine, RunsAnotherOciRuntime)
{
    const auto info = run(here->on.info(soon())).value();
    if (std::ranges::find(info.runtimes, "runsc") == info.runtimes.end())
        GTEST_SKIP() << "the engine has no runtime runsc (gVisor)";
    auto spec = spec_of({});
    spec.engine_runtime = "runsc";
    spec.pids = 200;    // its own threads count too: with 20 it does not even start
    const auto seen = output_of(spec, R"(cat /proc/self/status; id; touch /x 2>/dev/null || echo read-only; cd /sandbox
        dd if=/dev/zero of=big bs=1024 count=2048 2>/dev/null || echo full; ls -l big)");
    EXPECT_THAT(seen, HasSubstr("CapEff:\t0000000000000000"));
    EXPECT_THAT(seen, HasSubstr("uid=1000 gid=1000"));
    EXPECT_THAT(seen, HasSubstr("read-only\n"));
    EXPECT_THAT(seen, HasSubstr("full\n"));
    EXPECT_THAT(seen, HasSubstr("1048576"));
}

}    // namespace
}    // namespace caisson::docker
