#include "tests/storage/log_builder.hpp"
#include "tests/storage/store_contract.hpp"

#include <random>

namespace caisson::testing {

namespace {

class EventReplay : public StoreContract {
protected:
    void append(const event_list& added) { ASSERT_TRUE(run(events().append(id_, added, {})).has_value()); }
    event_list read(log_position after, std::size_t max_bytes) { return *run(events().read(id_, after, max_bytes)); }

    const execution_id id_ = numbered<execution_id>(1);
    log_builder log_;
};

/// Streams as a viewer puts them together from a position on.
struct viewer {
    log_position seen;
    std::string text[2];

    void view(const log_event& event)
    {
        if (event.kind != event_kind::output) {
            seen.control = std::max(seen.control, event.end.control);
            return;
        }
        auto& end = seen.end_of(event.stream);
        ASSERT_LE(event.offset, end) << "bytes are missing";
        text[event.stream == output_stream::stderr_stream].append(event.data.view().substr(end - event.offset));
        end = std::max(end, event.end.end_of(event.stream));
    }
};

/// The same bytes of both streams and the same control events, cut and interleaved by chance.
void interleave(log_builder& log, const std::string (&streams)[2], int controls, std::mt19937& random)
{
    while (log.end().stdout_end < streams[0].size() || log.end().stderr_end < streams[1].size() ||
           log.end().control < static_cast<std::uint64_t>(controls)) {
        const auto pick = random() % 5;
        if (pick == 4 && log.end().control < static_cast<std::uint64_t>(controls))
            log.control(event_kind::state, std::to_string(log.end().control));
        const auto stream = pick % 2 ? output_stream::stdout_stream : output_stream::stderr_stream;
        const auto part = streams[pick % 2 ? 0 : 1].substr(log.end().end_of(stream), 1 + random() % 40);
        if (pick < 4 && !part.empty())
            log.output(stream, part);
    }
}

TEST_P(EventReplay, AViewerOfAnotherInterleavingGetsTheRestExactlyOnce)
{
    std::mt19937 random(11);
    std::string streams[2];
    for (int i = 0; i < 700; ++i)
        streams[random() % 2] += static_cast<char>('a' + random() % 26);
    interleave(log_, streams, 6, random);
    append(log_.events());
    for (int round = 0; round < 20; ++round) {
        log_builder live;
        interleave(live, streams, 6, random);
        const auto stop = random() % live.events().size();
        viewer one;
        for (std::size_t i = 0; i < stop; ++i)
            one.view(*live.events()[i]);
        for (auto next = read(one.seen, 100); !next.empty(); next = read(one.seen, 100))
            for (const auto& each : next)
                one.view(*each);
        EXPECT_EQ(one.text[0], streams[0]) << "round " << round;
        EXPECT_EQ(one.text[1], streams[1]) << "round " << round;
        EXPECT_EQ(one.seen, log_.end()) << "round " << round;
    }
}

TEST_P(EventReplay, AViewerAheadInBothStreamsStillGetsTheNoticesAndTails)
{
    // Both streams passed what is kept; the viewer saw nearly all of it live, without the notices of the cuts.
    constexpr std::uint64_t missing = 100u << 20;
    log_.out("head")
        .err("head")
        .truncated(output_stream::stdout_stream, missing)
        .out("tail")
        .truncated(output_stream::stderr_stream, missing)
        .err("tail");
    append(log_.events());
    const event_list rest(log_.events().begin() + 2, log_.events().end());
    EXPECT_EQ(texts_of(read({0, 4 + missing + 2, 4 + missing + 2}, 1000)), texts_of(rest));
}

INSTANTIATE_TEST_SUITE_P(Stores, EventReplay, store_kinds(), kind_name);

}    // namespace

}    // namespace caisson::testing
