#include "core/async/task_group.hpp"
#include "core/exec/collect/collector.hpp"
#include "tests/support/fake_files.hpp"
#include "tests/support/run_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>

namespace caisson {
namespace {

using namespace protocol;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const tenant_id tenant = *tenant_id::parse("ten_00000000000000000000000001");
const execution_id execution = *execution_id::parse("exe_00000000000000000000000001");

std::string file(const std::string& path, std::string_view bytes, bool output = false)
{
    std::string out;
    append_file(out, {output, bytes.size(), 0640, 1'000, path});
    for (std::size_t at = 0; at < bytes.size(); at += max_collect_data) {
        const auto part = bytes.substr(at, max_collect_data);
        append_data_head(out, part.size());
        out += part;
    }
    append_end(out);
    return out;
}

/// More than what is kept in one step.
std::string large(char of) { return std::string(content_batch::most_at_once + 1, of); }

std::string skipped(std::string_view path, std::string_view reason)
{
    std::string out;
    append_skipped(out, path, reason);
    return out;
}

std::string done(std::uint64_t skipped = 0, std::string problem = "")
{
    std::string out;
    append_done(out, {skipped, 1, std::move(problem)});
    return out;
}

class Collector : public ::testing::Test {
protected:
    Collector()
    {
        wanted.patterns = {"out/**"};
        wanted.strip = "out/";
    }

    collector& make()
    {
        collector::job job{tenant, execution, wanted, 5'000, 9'000, [this] { return free_bytes; }};
        made =
            std::make_unique<collector>(context.get_executor(), contents, std::move(job), [this](stream_number stream, std::uint64_t end) {
                (stream == stream_number::stdout_stream ? acknowledged : acknowledged_errors) = end;
            });
        return *made;
    }

    void hear(std::string bytes)
    {
        const auto size = bytes.size();
        made->on_output(stream_number::stdout_stream, heard, shared_bytes(std::move(bytes)));
        heard += size;
    }
    void wait_for_exit_and_streams(int wait_status = 0)
    {
        made->on_eof(stream_number::stdout_stream, heard);
        made->on_exited({.wait_status = wait_status});
    }

    /// All of the stream at once.
    collected_files collect(const std::string& records)
    {
        make();
        hear(std::string(collect_magic) + records);
        wait_for_exit_and_streams();
        testing::run_task(context, made->run());
        return made->take();
    }
    static std::vector<std::string> paths(const collected_files& of)
    {
        std::vector<std::string> out;
        for (const auto& each : of.artifacts)
            out.push_back(each.path);
        return out;
    }

    asio::io_context context;
    null_logger log;
    testing::fake_content_store contents;
    collect_spec wanted;
    std::uint64_t free_bytes = 1 << 30;
    std::unique_ptr<collector> made;
    std::uint64_t heard = 0;
    std::uint64_t acknowledged = 0;
    std::uint64_t acknowledged_errors = 0;
    task_group background{context.get_executor(), log};    // ends before what it works on
};

TEST_F(Collector, KeepsFilesAsTheyCame)
{
    const auto got = collect(file("out/a.txt", "hello") + file("out/b/c.png", std::string(300'000, 'x')) + file("out/empty", "") + done());
    ASSERT_THAT(paths(got), ElementsAre("a.txt", "b/c.png", "empty"));
    const auto& first = got.artifacts.front();
    EXPECT_EQ(contents.bytes(first.content), "hello");
    EXPECT_EQ(first.sha256, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    EXPECT_EQ(first.media_type, "text/plain; charset=utf-8");
    EXPECT_EQ(first.mode, 0640u);
    EXPECT_EQ(first.size_bytes, 5);
    EXPECT_EQ(first.created_at_ms, 5'000);
    EXPECT_EQ(first.expires_at_ms, 9'000);
    EXPECT_EQ(contents.bytes(got.artifacts[1].content).size(), 300'000u);
    EXPECT_EQ(got.summary.files, 3);
    EXPECT_EQ(got.summary.bytes, 300'005);
    EXPECT_EQ(got.summary.error, "");
    EXPECT_EQ(acknowledged, heard);
}

TEST_F(Collector, TellsWhatWasLeftOut)
{
    const auto got = collect(skipped("out/link", "a symbolic link") + done(7));
    EXPECT_THAT(got.summary.skipped, ElementsAre(skipped_file{"out/link", "a symbolic link"}));
    EXPECT_EQ(got.summary.skipped_files, 7);
}

TEST_F(Collector, WhatWasLeftOutIsBoundedInTheRecord)
{
    std::string many;
    for (int i = 0; i < 100; ++i)
        many += skipped("out/" + std::to_string(i) + std::string(4'000, 'p'), std::string(max_collect_reason, 'r'));
    const auto got = collect(many + done(100));
    std::size_t bytes = 0;
    for (const auto& each : got.summary.skipped)
        bytes += each.path.size() + each.reason.size();
    EXPECT_LE(bytes, 16u << 10);
    EXPECT_GT(bytes, 15u << 10);
    EXPECT_EQ(got.summary.skipped_files, 100);
    EXPECT_EQ(got.summary.skipped.at(0).path, "out/0" + std::string(507, 'p') + "…");
}

TEST_F(Collector, ALongPathIsCutBetweenCharacters)
{
    const auto got = collect(skipped("out/" + std::string(507, 'p') + "äöü", "a FIFO") + done(1));
    EXPECT_EQ(got.summary.skipped.at(0).path, "out/" + std::string(507, 'p') + "…");
}

TEST_F(Collector, TheContentsAreHeldUntilTheirRecordsAreStored)
{
    auto got = collect(file("out/a", "1") + done());
    const content_filter all{{}, 100'000, 10};
    EXPECT_THAT(*testing::run_task(context, contents.list(all)), IsEmpty());
    got.held.reset();
    EXPECT_EQ(testing::run_task(context, contents.list(all))->size(), 1u);
}

TEST_F(Collector, AFileThatWasCutIsLeftOut)
{
    std::string cut;
    append_file(cut, {false, 5, 0644, 0, "out/a"});
    append_cut(cut, "it became shorter while it was read");
    const auto got = collect(cut + file("out/b", "1") + done());
    EXPECT_THAT(paths(got), ElementsAre("b"));
    EXPECT_THAT(got.summary.skipped, ElementsAre(skipped_file{"out/a", "it became shorter while it was read"}));
    EXPECT_EQ(got.summary.skipped_files, 1);
    EXPECT_EQ(contents.size(), 1u);
}

TEST_F(Collector, TheOutputIsTextAndNoArtifact)
{
    wanted.output = "out/output.json";
    const auto got = collect(file("out/output.json", "{\"a\":1}", true) + file("out/b", "1") + done());
    EXPECT_EQ(got.output, "{\"a\":1}");
    EXPECT_EQ(got.output_problem, "");
    EXPECT_THAT(paths(got), ElementsAre("b"));
    const auto without = collect(done());
    EXPECT_FALSE(without.output);
    const auto large = collect(skipped("out/output.json", "larger than 5 bytes") + done(1));
    EXPECT_FALSE(large.output);
    EXPECT_EQ(large.output_problem, "larger than 5 bytes");
    EXPECT_EQ(large.summary.skipped_files, 0);
}

TEST_F(Collector, NamesThatBecomeTheSameAreKeptOnce)
{
    wanted.patterns = {"**"};
    const auto got = collect(file("a", "first") + file("out/a", "second") + done());
    EXPECT_THAT(paths(got), ElementsAre("a"));
    EXPECT_EQ(contents.bytes(got.artifacts[0].content), "first");
    EXPECT_THAT(got.summary.skipped.at(0).reason, HasSubstr("has the name"));
    EXPECT_EQ(contents.size(), 1u);
}

struct breach {
    std::string_view name;
    std::string records;
};
void PrintTo(const breach& c, std::ostream* out) { *out << c.name; }

class CollectorBreach : public Collector, public ::testing::WithParamInterface<breach> { };

TEST_P(CollectorBreach, EndsItWithWhatWasWholeBefore)
{
    wanted.max_files = 2;
    wanted.max_bytes = 10;
    wanted.max_file_bytes = 8;
    wanted.output = "out/output.json";
    wanted.max_output_bytes = 3;
    const auto got = collect(GetParam().records);
    EXPECT_THAT(got.summary.error, HasSubstr("the sandbox's agent"));
    EXPECT_LE(got.artifacts.size(), 2u);
    for (const auto& each : got.artifacts)
        EXPECT_TRUE(contents.has(each.content));
    EXPECT_EQ(contents.size(), got.artifacts.size());
}

INSTANTIATE_TEST_SUITE_P(Cases, CollectorBreach,
    ::testing::Values(breach{"a_file_that_no_pattern_means", file("etc/passwd", "x") + done()},
        breach{"more_files_than_the_limit", file("out/a", "1") + file("out/b", "1") + file("out/c", "1") + done()},
        breach{"a_file_beyond_its_limit", file("out/a", "123456789") + done()},
        breach{"more_bytes_than_the_limit", file("out/a", "123456") + file("out/b", "12345") + done()},
        breach{"another_output", file("out/other.json", "{}", true) + done()},
        breach{"a_large_output", file("out/output.json", "1234", true) + done()},
        breach{"the_output_as_a_file", file("out/output.json", "12") + done()}, breach{"nonsense", "xxxxxxxxxxxxxxxxxxxxx"},
        breach{"no_end", file("out/a", "1")}, breach{"nothing_at_all", ""}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_F(Collector, SaysHowTheAgentsCollectorEnded)
{
    make();
    hear(std::string(collect_magic) + file("out/a", "1"));
    wait_for_exit_and_streams(9);
    testing::run_task(context, made->run());
    const auto got = made->take();
    EXPECT_THAT(got.summary.error, HasSubstr("signal 9 ended it"));
    EXPECT_THAT(paths(got), ElementsAre("a"));
}

TEST_F(Collector, AStoreThatFailsEndsItAndKeepsWhatWasCommitted)
{
    for (int failing = 0; failing < 4; ++failing) {
        contents.heal();
        contents.let_pass(static_cast<std::size_t>(failing));
        contents.fail_next({errc::runtime_unavailable, "the disk is full"});
        heard = 0;
        const auto got = collect(file("out/a", large('1')) + file("out/b", large('2')) + done());
        EXPECT_EQ(got.summary.error, "the disk is full") << failing;
        EXPECT_EQ(got.summary.files, static_cast<std::int64_t>(got.artifacts.size()));
        for (const auto& each : got.artifacts)
            EXPECT_TRUE(contents.has(each.content)) << failing;
    }
}

TEST_F(Collector, AStoreThatFailsBetweenSmallFilesEndsIt)
{
    std::string many;
    for (char name = 'A'; name <= 'Z'; ++name)
        many += file("out/" + std::string(1, name), std::string(1, name));
    for (const std::size_t passing : {0u, 1u}) {    // room for more, commit
        contents.heal();
        contents.let_pass(passing);
        contents.fail_next({errc::runtime_unavailable, "the disk is full"});
        heard = 0;
        const auto got = collect(many + done());
        EXPECT_EQ(got.summary.error, "the disk is full") << passing;
        EXPECT_THAT(got.artifacts, IsEmpty());
        EXPECT_EQ(contents.size(), 0u);
    }
}

TEST_F(Collector, SmallFilesMayComeInAnyPieces)
{
    const std::vector<std::string> wants{"", "hello", large('c').substr(1), large('d'), "e"};
    auto all = std::string(collect_magic);
    for (std::size_t i = 0; i < wants.size(); ++i)
        all += file("out/" + std::to_string(i), wants[i]);
    all += done();
    for (const std::size_t piece : {1u, 3u, 1'000u, 100'000u}) {
        make();
        for (std::size_t at = heard = 0; at < all.size(); at += piece)
            hear(all.substr(at, piece));
        wait_for_exit_and_streams();
        testing::run_task(context, made->run());
        const auto got = made->take();
        ASSERT_EQ(got.artifacts.size(), wants.size()) << piece;
        for (std::size_t i = 0; i < wants.size(); ++i)
            EXPECT_EQ(contents.bytes(got.artifacts[i].content), wants[i]) << piece;
    }
}

TEST_F(Collector, LeavesADiskThatIsNearlyFullAlone)
{
    free_bytes = collect_room::least_free_bytes + 20;
    const auto got = collect(file("out/a", "123456789") + file("out/b", "1234567890") + file("out/c", "1") + done());
    EXPECT_THAT(got.summary.error, HasSubstr("disk has too little room"));
    EXPECT_THAT(paths(got), ElementsAre("a"));
}

TEST_F(Collector, WhatAStoreThrowsIsForTheLogOnly)
{
    for (std::size_t passing : {0u, 1u, 2u}) {    // write, finish, commit
        heard = 0;
        contents.heal();
        contents.let_pass(passing);
        contents.throw_next("disk I/O error at: INSERT INTO chunks");
        const auto got = collect(file("out/a", large('1')) + done());
        EXPECT_EQ(got.summary.error, "the server could not store the files") << passing;
        EXPECT_EQ(got.cause, "disk I/O error at: INSERT INTO chunks") << passing;
    }
}

TEST_F(Collector, AcknowledgesWhatTheStoreHas)
{
    make();
    background.spawn("collector", made->run());
    const auto all = std::string(collect_magic) + file("out/a", std::string(200'000, 'x')) + done();
    hear(all.substr(0, 150'000));
    context.poll();
    EXPECT_EQ(acknowledged, 150'000u);
    made->on_output(stream_number::stderr_stream, 0, shared_bytes(std::string("noise")));
    EXPECT_EQ(acknowledged_errors, 5u);
    hear(all.substr(150'000));
    context.poll();
    EXPECT_EQ(acknowledged, all.size());
    EXPECT_THAT(paths(made->take()), ElementsAre("a"));
}

TEST_F(Collector, WhatIsAbandonedKeepsWhatWasWhole)
{
    make();
    background.spawn("collector", made->run());
    hear(std::string(collect_magic) + file("out/a", "1"));
    context.restart();
    context.poll();
    made->abandon("the sandbox was lost");
    context.restart();
    context.poll();
    const auto got = made->take();
    EXPECT_EQ(got.summary.error, "the sandbox was lost");
    EXPECT_THAT(paths(got), ElementsAre("a"));
}

TEST_F(Collector, WhatIsAbandonedAfterAllHasComeLacksNothing)
{
    make();
    background.spawn("collector", made->run());
    hear(std::string(collect_magic) + file("out/a", "1") + done());
    context.restart();
    context.poll();
    made->abandon("the execution was cancelled");
    const auto got = made->take();
    EXPECT_EQ(got.summary.error, "");
    EXPECT_THAT(paths(got), ElementsAre("a"));
}

struct trouble {
    std::string_view name;
    void (*happens)(collector&);
    std::string_view says;
};
void PrintTo(const trouble& c, std::ostream* out) { *out << c.name; }

class CollectorTrouble : public Collector, public ::testing::WithParamInterface<trouble> { };

TEST_P(CollectorTrouble, IsTold)
{
    GetParam().happens(make());
    testing::run_task(context, made->run());
    EXPECT_THAT(made->take().summary.error, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(Cases, CollectorTrouble,
    ::testing::Values(trouble{"it_could_not_be_started", [](collector& c) { c.on_start_failed(ENOENT, "execve"); }, "execve: No such file"},
        trouble{"a_part_was_lost", [](collector& c) { c.on_gap(stream_number::stdout_stream, 0, 5); }, "was lost on the way"},
        trouble{"the_agent_does_not_know_it", [](collector& c) { c.on_unknown(); }, "does not know of the collecting"},
        trouble{"it_took_too_long",
            [](collector& c) {
                c.on_eof(stream_number::stdout_stream, 0);
                c.on_exited({.wait_status = 9, .cause = exit_cause::wall_limit});
            },
            "it took too long"}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace
}    // namespace caisson
