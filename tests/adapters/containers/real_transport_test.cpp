#include "adapters/engine/containers.hpp"
#include "adapters/engine/events.hpp"
#include "core/async/deadline.hpp"
#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "tests/adapters/containers/real_engine.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace caisson::docker {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;

std::string environment(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// With a real engine, whose address CAISSON_TEST_ENGINE says; the tests bring an image. By TLS if CAISSON_TEST_ENGINE_CERTIFICATES
/// names a directory with ca.pem, cert.pem and key.pem.
class RealTransport : public ::testing::TestWithParam<std::string> {
protected:
    static void SetUpTestSuite() { make_test_image(); }
    static void TearDownTestSuite() { remove_test_image(); }

    void SetUp() override
    {
        engine_options options{.address = environment("CAISSON_TEST_ENGINE")};
        if (options.address.empty())
            GTEST_SKIP() << "CAISSON_TEST_ENGINE names no engine";
        if (const std::filesystem::path folder = environment("CAISSON_TEST_ENGINE_CERTIFICATES"); !folder.empty()) {
            options.ca_file = folder / "ca.pem";
            options.certificate_file = folder / "cert.pem";
            options.key_file = folder / "key.pem";
        }
        on.emplace(context.get_executor(), time, std::move(options));
        all.emplace(*on);
    }
    void TearDown() override
    {
        run(tasks.stop());
        if (all)
            EXPECT_TRUE(run(all->remove(name(), soon())).has_value());
    }

    template <class T>
    T run(task<T> work)
    {
        return caisson::testing::run_task(context, std::move(work));
    }
    steady_time soon() const { return time.steady_now() + 60s; }
    static std::string name() { return "caisson-test-transport-" + std::to_string(::getpid()); }
    static std::string label() { return "caisson.test=" + name(); }

    /// Of `program` under the runtime of this test's parameter.
    void create(std::vector<std::string> program)
    {
        container_spec spec;
        spec.name = name();
        spec.image = image;
        spec.entrypoint = std::move(program);
        spec.user = "65534:65534";
        spec.labels = {{"caisson.test", name()}};
        spec.open_stdin = true;
        spec.engine_runtime = GetParam();
        const auto made = run(all->create(std::move(spec), soon()));
        ASSERT_TRUE(made.has_value()) << made.error().detail;
    }
    bool has_runtime()
    {
        const auto info = run(on->info(soon()));
        return info.has_value() && std::ranges::count(info->runtimes, GetParam()) > 0;
    }
    void start()
    {
        const auto started = run(all->start(name(), soon()));
        ASSERT_TRUE(started.has_value()) << started.error().detail;
    }
    std::unique_ptr<protocol::byte_stream> attach()
    {
        auto got = run(all->attach(name(), soon()));
        if (got.has_error())
            throw std::runtime_error(got.error().detail);
        return std::move(*got);
    }

    asio::io_context context{1};
    system_timers time;
    null_logger silent;
    task_group tasks{context.get_executor(), silent};
    std::optional<engine> on;
    std::optional<containers> all;
};

task<> write_all(protocol::byte_stream* to, std::string bytes)
{
    const std::array<std::string_view, 1> parts{bytes};
    const std::span<const int> no_descriptors;
    co_await to->write(parts, no_descriptors);
}

task<std::string> read_exactly(protocol::byte_stream* from, std::size_t count)
{
    std::string out(count, '\0');
    std::size_t done = 0;
    while (done < count) {
        const auto got = co_await from->read_some(std::span(out).subspan(done));
        if (got == 0)
            break;
        done += got;
    }
    out.resize(done);
    co_return out;
}

TEST_P(RealTransport, TellsOfItself)
{
    const auto got = run(on->info(soon()));
    ASSERT_TRUE(got.has_value()) << got.error().detail;
    EXPECT_FALSE(got->version.empty());
    EXPECT_EQ(got->api_version.substr(0, 3), "1.4");
    EXPECT_FALSE(got->architecture.empty());
    EXPECT_THAT(got->runtimes, Contains("runc"));
    EXPECT_GT(got->memory_bytes, 0);
}

TEST_P(RealTransport, CarriesEveryByteBothWays)
{
    if (!has_runtime())
        GTEST_SKIP() << "the engine has no " << GetParam();
    create({"/bin/cat"});
    const auto stream = attach();
    start();
    std::string bytes(1 << 20, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(i * 131 + i / 977);
    tasks.spawn("write", write_all(stream.get(), bytes));
    auto reading = with_deadline(time, soon(), read_exactly(stream.get(), bytes.size()));
    const auto got = run(std::move(reading));
    ASSERT_TRUE(got.has_value());
    EXPECT_TRUE(*got == bytes) << got->size();
}

TEST_P(RealTransport, WhoAttachesAnewGetsWhatComesThen)
{
    if (!has_runtime())
        GTEST_SKIP() << "the engine has no " << GetParam();
    create({"/bin/cat"});
    auto first = attach();
    start();
    run(write_all(first.get(), "one"));
    EXPECT_EQ(run(read_exactly(first.get(), 3)), "one");
    first.reset();
    const auto second = attach();
    run(write_all(second.get(), "two"));
    EXPECT_EQ(run(read_exactly(second.get(), 3)), "two");
    ASSERT_TRUE(run(all->kill(name(), "SIGKILL", soon())).has_value());
    EXPECT_EQ(run(read_exactly(second.get(), 1)), "") << "its end is the stream's";
}

TEST_P(RealTransport, StderrIsDropped)
{
    if (!has_runtime())
        GTEST_SKIP() << "the engine has no " << GetParam();
    create({"/bin/sh", "-c", "echo bad >&2; echo good; echo bad >&2"});
    const auto stream = attach();
    start();
    EXPECT_EQ(run(read_exactly(stream.get(), 100)), "good\n");
}

TEST_P(RealTransport, TellsWhatHappensToAContainer)
{
    if (!has_runtime())
        GTEST_SKIP() << "the engine has no " << GetParam();
    notifier changed(context.get_executor());
    std::vector<std::string> seen;
    event_feed feed(*on, time, {label()},
        {[&](const container_event& one) {
             const auto exit = one.attributes.find("exitCode");
             seen.push_back(one.action + (exit == one.attributes.end() ? "" : " " + exit->second));
             changed.notify_all();
         },
            [] {}, [](const error& why) { ADD_FAILURE() << why.detail; }});
    tasks.spawn("events", feed.run());
    create({"/bin/sh", "-c", "exit 7"});
    start();
    auto died = [](notifier* of, std::vector<std::string>* in) -> task<> {
        while (std::ranges::find(*in, "die 7") == in->end())
            co_await of->wait_past(of->version());
    };
    auto waiting = with_deadline(time, soon(), died(&changed, &seen));
    EXPECT_TRUE(run(std::move(waiting)).has_value());
    EXPECT_THAT(seen, ElementsAre("create", "start", "die 7"));
    run(tasks.stop());    // before the feed goes
}

INSTANTIATE_TEST_SUITE_P(All, RealTransport, ::testing::Values("runc", "runsc"), [](const auto& info) { return info.param; });

}    // namespace
}    // namespace caisson::docker
