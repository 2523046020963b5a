#pragma once

#include "adapters/engine/containers.hpp"
#include "adapters/engine/images.hpp"
#include "adapters/engine/text_source.hpp"
#include "tests/adapters/containers/busybox.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include <unistd.h>

namespace caisson::docker {

using namespace std::chrono_literals;
using caisson::testing::busybox_tar;

/// What is made has it as a label, or begins its name with it.
inline const std::string mark = "caisson-test-" + std::to_string(::getpid());
inline const std::string image = mark + ":1";

inline std::string engine_address()
{
    const char* const set = std::getenv("CAISSON_TEST_ENGINE");
    return set ? set : "";
}

/// Connects when it is first used, so that a test without an engine can be skipped.
struct real_engine {
    asio::io_context context{1};
    system_timers time;
    engine on{context.get_executor(), time, {.address = engine_address()}};
    containers all{on};
    images store{on};

    steady_time soon() const { return time.steady_now() + 60s; }
    template <class T>
    T run(task<T> work)
    {
        return caisson::testing::run_task(context, std::move(work));
    }
};

inline task<std::string> read_to_end(protocol::byte_stream* from)
{
    std::string out;
    std::string room(64 * 1024, '\0');
    while (true) {
        const auto count = co_await from->read_some(room);
        if (count == 0)
            co_return out;
        out.append(room, 0, count);
    }
}

/// Makes `image`, of busybox alone, if there is an engine.
inline void make_test_image()
{
    const auto tar = busybox_tar();
    if (engine_address().empty() || tar.empty())
        return;
    real_engine here;
    text_source body(tar);
    const auto made = here.run(here.store.import(image, body, {"ENV PATH=/bin", "ENV OF_IMAGE=1", "USER root", "VOLUME /volume"}));
    if (made.has_error())
        throw std::runtime_error(made.error().detail);
}

inline void remove_test_image()
{
    if (engine_address().empty() || busybox_tar().empty())
        return;
    real_engine here;
    EXPECT_TRUE(here.run(here.store.remove(image, here.soon())).has_value());
}

/// Against the engine that CAISSON_TEST_ENGINE names ("unix:///var/run/docker.sock"), with an image of its own. What is made is removed.
class RealEngine : public ::testing::Test {
protected:
    static void SetUpTestSuite() { make_test_image(); }
    static void TearDownTestSuite() { remove_test_image(); }

    void SetUp() override
    {
        if (engine_address().empty())
            GTEST_SKIP() << "CAISSON_TEST_ENGINE names no Docker Engine";
        if (busybox_tar().empty())
            GTEST_SKIP() << "there is no /bin/busybox (package busybox-static) to make an image of";
        here.emplace();
    }
    void TearDown() override
    {
        if (!here)
            return;
        const auto left = run(here->all.list({"caisson.test=" + mark}, soon()));
        ASSERT_TRUE(left.has_value()) << left.error().detail;
        for (const auto& each : *left)
            EXPECT_TRUE(run(here->all.remove(each.id, soon())).has_value());
        for (const auto& each : volumes)
            EXPECT_TRUE(run(here->on.call("DELETE", "/volumes/" + escaped(each), soon())).has_value());
    }

    template <class T>
    T run(task<T> work)
    {
        return here->run(std::move(work));
    }
    steady_time soon() const { return here->soon(); }

    container_spec spec_of(std::vector<std::string> program) const
    {
        container_spec out;
        out.name = mark + "-" + std::to_string(made++);
        out.image = image;
        out.entrypoint = std::move(program);
        out.environment = {"OF_SPEC=2"};
        out.user = "1000:1000";
        out.labels = {{"caisson.test", mark}};
        out.tmpfs = {{"/sandbox", 1 << 20, 32, 0700, 1000, true}, {"/tmp", 2 << 20, 0, 01777, std::nullopt, false}};
        out.memory_bytes = 64 << 20;
        out.pids = 20;
        out.shm_bytes = 1 << 20;
        return out;
    }
    std::string create(container_spec spec)
    {
        const auto id = run(here->all.create(std::move(spec), soon()));
        if (id.has_error())
            throw std::runtime_error(id.error().detail);
        return id->id;
    }
    std::string start(container_spec spec)
    {
        const auto id = create(std::move(spec));
        const auto started = run(here->all.start(id, soon()));
        if (started.has_error())
            throw std::runtime_error(started.error().detail);
        return id;
    }
    /// What the script writes to its stdout, in a container of that spec.
    std::string output_of(container_spec spec, const std::string& script)
    {
        spec.entrypoint = {"/bin/sh", "-c", script};
        const auto id = create(std::move(spec));
        auto stream = run(here->all.attach(id, soon()));
        if (stream.has_error())
            throw std::runtime_error(stream.error().detail);
        if (const auto started = run(here->all.start(id, soon())); started.has_error())
            throw std::runtime_error(started.error().detail);
        return run(read_to_end(stream->get()));
    }
    container_state state_of(const std::string& id) { return run(here->all.inspect(id, soon())).value().state; }

    std::optional<real_engine> here;
    std::vector<std::string> volumes;
    mutable int made = 0;
};

}    // namespace caisson::docker
