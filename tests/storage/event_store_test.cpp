#include "tests/storage/execution_rows.hpp"
#include "tests/storage/log_builder.hpp"
#include "tests/storage/store_contract.hpp"

#include <boost/asio/co_spawn.hpp>

#include <random>

namespace caisson::testing {

namespace {

constexpr std::size_t plenty = 64 << 20;

class EventStore : public StoreContract {
protected:
    void append(const event_list& added, std::vector<stream_cut> cuts = {})
    {
        ASSERT_TRUE(run(events().append(id_, added, std::move(cuts))).has_value());
    }
    event_list read(log_position after = {}, std::size_t max_bytes = plenty) { return *run(events().read(id_, after, max_bytes)); }
    log_extent extent() { return *run(events().extent(id_)); }

    const execution_id id_ = numbered<execution_id>(1);
    log_builder log_;
};

TEST_P(EventStore, AnUnknownLogIsEmpty)
{
    EXPECT_TRUE(read().empty());
    EXPECT_EQ(extent().end, log_position());
    EXPECT_FALSE(extent().has_exit);
    EXPECT_TRUE(run(events().erase(id_)).has_value());
}

TEST_P(EventStore, ReadsWhatWasAppendedInLogOrder)
{
    log_.control(event_kind::state, R"({"status":"running"})").out("ab").err("x").truncated(output_stream::stdout_stream, 40).out("z");
    log_.control(event_kind::usage, "{}").control(event_kind::exit, R"({"status":"success"})");
    const auto all = log_.take();
    append({all.begin(), all.begin() + 3});
    append({all.begin() + 3, all.end()});
    const auto stored = read();
    EXPECT_EQ(texts_of(stored), texts_of(all));
    EXPECT_EQ(stored[1]->at_ms, 1001);
}

TEST_P(EventStore, BytesOfAnyValueAndMebibyteChunksAreKept)
{
    std::string bytes(1 << 20, '\0');
    std::mt19937 random(7);
    for (auto& each : bytes)
        each = static_cast<char>(random());
    log_.out(bytes).err(std::string("\0\xff", 2));
    append(log_.events());
    const auto stored = read();
    ASSERT_EQ(stored.size(), 2u);
    EXPECT_TRUE(stored[0]->data.view() == bytes);
    EXPECT_EQ(stored[1]->data.view(), std::string_view("\0\xff", 2));
}

TEST_P(EventStore, ARepeatIsIgnored)
{
    log_.control(event_kind::state, "{}").out("ab");
    append(log_.events());
    log_.err("c");
    append(log_.events());
    append(log_.events());
    EXPECT_EQ(texts_of(read()), texts_of(log_.events()));
}

TEST_P(EventStore, AnotherEventAtAStoredPlaceConflictsAndNothingOfTheCallIsKept)
{
    log_.out("ab");
    append(log_.events());
    log_builder other;
    other.err("a").err("b").err("c");
    const std::vector<stream_cut> cuts{{output_stream::stderr_stream, 3}};
    EXPECT_EQ(code_of(run(events().append(id_, other.events(), cuts))), errc::conflict);
    EXPECT_EQ(texts_of(read()), texts_of(log_.events()));
    EXPECT_TRUE(extent().cuts.empty());
}

TEST_P(EventStore, ReadsWholeChunksUpToTheBytesAskedFor)
{
    log_.out("aaaa").control(event_kind::state, "{}").err("bbbb").out("cccc");
    append(log_.events());
    EXPECT_EQ(read({}, 0).size(), 1u) << "at least one event";
    EXPECT_EQ(read({}, 3).size(), 1u);
    EXPECT_EQ(read({}, 4).size(), 2u) << "the control event after the bytes costs nothing";
    EXPECT_EQ(read({}, 8).size(), 3u);
    EXPECT_EQ(read({}, 11).size(), 3u);
    EXPECT_EQ(read({}, 12).size(), 4u);
}

TEST_P(EventStore, ManySmallEventsComeInPages)
{
    for (int i = 0; i < 5000; ++i)
        log_.out("a");
    append(log_.events());
    const auto first = read();
    ASSERT_EQ(first.size(), 4096u);
    EXPECT_EQ(read(first.back()->end).size(), 904u);
}

TEST_P(EventStore, ReadsAfterAPositionWhatIsNotCovered)
{
    struct after_case {
        std::string name;
        log_position after;    // control, stdout, stderr
        std::vector<int> want;
    };
    // 0: control 1; 1: out 0-4; 2: err 0-2; 3: out 4-6; 4: control 2; 5: err 2-3
    log_.control(event_kind::state, "{}").out("aaaa").err("bb").out("cc").control(event_kind::usage, "{}").err("d");
    append(log_.events());
    const std::vector<after_case> cases{
        {"the_beginning", {0, 0, 0}, {0, 1, 2, 3, 4, 5}},
        {"an_event", {1, 4, 2}, {3, 4, 5}},
        {"within_a_chunk", {1, 3, 0}, {1, 2, 3, 4, 5}},
        {"one_byte_into_the_next", {1, 5, 2}, {3, 4, 5}},
        {"the_end", {2, 6, 3}, {}},
        {"past_the_end", {3, 60, 30}, {}},
        {"only_stderr_missing", {2, 6, 0}, {2, 5}},
        {"only_stdout_missing", {2, 0, 3}, {1, 3}},
        {"only_control_missing", {0, 6, 3}, {0, 4}},
        {"stdout_far_ahead", {1, 600, 2}, {4, 5}},
        {"largest_numbers", {~0ull, ~0ull, ~0ull}, {}},
        {"largest_control", {~0ull, 4, 2}, {3, 5}},
    };
    for (const auto& each : cases) {
        event_list want;
        for (const auto index : each.want)
            want.push_back(log_.events()[index]);
        EXPECT_EQ(texts_of(read(each.after)), texts_of(want)) << each.name;
    }
}

TEST_P(EventStore, TheExtentSaysWhatIsStored)
{
    log_.control(event_kind::state, "{}").out("aaaa").truncated(output_stream::stdout_stream, 1000).out("bb").err("c");
    append(log_.events(), {{output_stream::stdout_stream, 4}});
    auto found = extent();
    EXPECT_EQ(found.end, log_.end());
    EXPECT_EQ(found.stored_output_bytes, 7u) << "without the missing ones";
    EXPECT_TRUE(found.stdout_truncated);
    EXPECT_FALSE(found.stderr_truncated);
    EXPECT_FALSE(found.has_exit);
    ASSERT_EQ(found.cuts.size(), 1u);
    EXPECT_EQ(found.cuts[0].stream, output_stream::stdout_stream);
    EXPECT_EQ(found.cuts[0].offset, 4u);

    log_.control(event_kind::exit, "{}");
    append(log_.events(), {{output_stream::stdout_stream, 5}, {output_stream::stderr_stream, 1}});
    found = extent();
    EXPECT_TRUE(found.has_exit);
    EXPECT_EQ(found.end, log_.end());
    ASSERT_EQ(found.cuts.size(), 2u);
    EXPECT_EQ(found.cuts[0].offset, 4u) << "a stream is cut once";
    EXPECT_EQ(found.cuts[1].offset, 1u);
}

TEST_P(EventStore, CutsAloneAreKept)
{
    append({}, {{output_stream::stderr_stream, 9}});
    ASSERT_EQ(extent().cuts.size(), 1u);
    EXPECT_EQ(extent().cuts[0].offset, 9u);
    EXPECT_EQ(extent().end, log_position());
}

TEST_P(EventStore, EraseRemovesOneLogWhole)
{
    log_.out("aaaa").control(event_kind::exit, "{}");
    append(log_.events(), {{output_stream::stdout_stream, 4}});
    const auto other = numbered<execution_id>(2);
    ASSERT_TRUE(run(events().append(other, log_.events(), {})).has_value());
    ASSERT_TRUE(run(events().erase(id_)).has_value());
    ASSERT_TRUE(run(events().erase(id_)).has_value());
    EXPECT_TRUE(read().empty());
    EXPECT_TRUE(extent().cuts.empty());
    EXPECT_EQ(run(events().read(other, {}, plenty))->size(), 2u);
    append(log_.events());
    EXPECT_EQ(read().size(), 2u);
}

task<> append_all(event_store& store, execution_id id, event_list events)
{
    for (const auto& each : events) {
        event_list one{each};
        std::vector<stream_cut> no_cuts;
        const auto added = co_await store.append(id, std::move(one), std::move(no_cuts));
        EXPECT_TRUE(added.has_value());
    }
}

TEST_P(EventStore, AWholeLogComesWithTheEndAndGoesWithTheRecord)
{
    const auto tenant = numbered<tenant_id>(1);
    log_.control(event_kind::state, R"({"status":"running"})").out("ab").err(std::string("\0\xff", 2)).out("c");
    log_.truncated(output_stream::stderr_stream, 40).control(event_kind::usage, "{}").control(event_kind::exit, "{}");
    ASSERT_TRUE(run(executions().insert(execution(1), {})).has_value());
    execution_end end{full_execution(1), {}};
    end.log = log_.events();
    ASSERT_TRUE(run(executions().finish(end)).has_value());
    EXPECT_EQ(texts_of(read()), texts_of(log_.events()));
    EXPECT_EQ(texts_of(read({1, 1, 0})).size(), 6u) << "the first chunk is whole";
    EXPECT_EQ(read({}, 2).size(), 2u);
    EXPECT_TRUE(read(log_.end()).empty());
    EXPECT_EQ(extent().end, log_.end());
    EXPECT_TRUE(extent().has_exit && extent().stderr_truncated && !extent().stdout_truncated);
    EXPECT_EQ(extent().stored_bytes, 7 * log_event::stored_overhead + 5 + 24);
    EXPECT_EQ(code_of(run(executions().finish(end))), errc::conflict) << "it is final";
    EXPECT_EQ(texts_of(read()), texts_of(log_.events()));
    ASSERT_TRUE(run(executions().erase(tenant, id_)).has_value());
    EXPECT_TRUE(run(events().erase(id_)).has_value());
    EXPECT_TRUE(read().empty());
    EXPECT_EQ(extent().end, log_position());
}

TEST_P(EventStore, AnExecutionThatCameEndedHasItsLog)
{
    const auto tenant = numbered<tenant_id>(1);
    log_.control(event_kind::state, "{}").out("abc").control(event_kind::exit, "{}");
    execution_spec spec;
    spec.input = shared_bytes("[1]");
    const execution_end end{full_execution(1), {}, std::nullopt, log_.events()};
    ASSERT_TRUE(run(executions().insert_ended(end, spec)).has_value());
    EXPECT_EQ(text_of(*run(executions().find(tenant, id_))), text_of(full_execution(1)));
    EXPECT_EQ(run(executions().find_payload(tenant, id_, 10))->input, "[1]");
    EXPECT_EQ(texts_of(read()), texts_of(log_.events()));
    EXPECT_TRUE(extent().has_exit);
    EXPECT_EQ(run(executions().totals(tenant))->all.total, 1);
    EXPECT_TRUE(run(executions().unfinished({}, 10))->empty());
    EXPECT_EQ(code_of(run(executions().find_spec(tenant, id_))), errc::not_found);
    EXPECT_EQ(code_of(run(executions().insert_ended(end, spec))), errc::conflict);
    EXPECT_EQ(texts_of(read()), texts_of(log_.events()));
    ASSERT_TRUE(run(executions().erase(tenant, id_)).has_value());
    EXPECT_TRUE(read().empty());
}

TEST_P(EventStore, AnExecutionThatCameEndedHasWhatItLeft)
{
    const auto tenant = numbered<tenant_id>(1);
    artifact_row left;
    left.tenant = tenant;
    left.execution = id_;
    left.path = "out/a";
    left.content = numbered<content_id>(7);
    left.size_bytes = 12;
    const execution_end end{full_execution(1), {left}, std::nullopt, log_.control(event_kind::exit, "{}").events()};
    ASSERT_TRUE(run(executions().insert_ended(end, {})).has_value());
    EXPECT_EQ(run(artifacts().find(tenant, id_, "out/a"))->content, left.content);
    EXPECT_EQ(run(artifacts().usage(tenant))->artifact_bytes, 12);
    EXPECT_EQ(code_of(run(executions().insert_ended(end, {}))), errc::conflict);
    EXPECT_EQ(run(artifacts().usage(tenant))->artifact_bytes, 12);
}

TEST_P(EventStore, ALogOfAnEndThatIsRefusedIsNotKept)
{
    log_.control(event_kind::exit, "{}");
    EXPECT_EQ(code_of(run(executions().finish({full_execution(1), {}, std::nullopt, log_.events()}))), errc::not_found);
    EXPECT_TRUE(read().empty());
}

TEST_P(EventStore, AHundredExecutionsAtOnceDoNotMix)
{
    constexpr int executions = 100;
    std::vector<log_builder> logs(executions);
    int running = 0;
    for (int i = 0; i < executions; ++i) {
        const auto name = std::to_string(i);
        logs[i]
            .control(event_kind::state, name)
            .out("out of " + name)
            .err("err of " + name)
            .out("more of " + name)
            .control(event_kind::exit, name);
        ++running;
        asio::co_spawn(
            context_.get_executor(), append_all(events(), numbered<execution_id>(i), logs[i].events()), [&](std::exception_ptr failure) {
                EXPECT_FALSE(failure);
                --running;
            });
    }
    while (running > 0 && context_.run_one() > 0) { }
    ASSERT_EQ(running, 0);
    for (int i = 0; i < executions; ++i)
        EXPECT_EQ(texts_of(*run(events().read(numbered<execution_id>(i), {}, plenty))), texts_of(logs[i].events()));
}

INSTANTIATE_TEST_SUITE_P(Stores, EventStore, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
