#include "adapters/net/accept.hpp"

#include <gtest/gtest.h>

namespace caisson::net {

namespace {

struct accept_case {
    std::string_view name;
    std::vector<std::string> lines;
    bool wants_events;
};
void PrintTo(const accept_case& c, std::ostream* out) { *out << c.name; }

class Accept : public ::testing::TestWithParam<accept_case> { };

TEST_P(Accept, ChoosesBetweenEventsAndJson)
{
    headers fields;
    for (const auto& line : GetParam().lines)
        fields.add("accept", line);
    EXPECT_EQ(prefers(fields, "text/event-stream", "application/json"), GetParam().wants_events);
}

INSTANTIATE_TEST_SUITE_P(Cases, Accept,
    ::testing::Values(accept_case{"none", {}, false}, accept_case{"named", {"text/event-stream"}, true},
        accept_case{"in_any_case", {"Text/Event-Stream"}, true}, accept_case{"refused", {"text/event-stream;q=0, application/json"}, false},
        accept_case{"refused_with_blanks", {"text/event-stream ; Q=0.000 , */*"}, false},
        accept_case{"both_as_much", {"application/json, text/event-stream"}, true},
        accept_case{"json_more", {"application/json, text/event-stream;q=0.9"}, false},
        accept_case{"events_more", {"application/json;q=0.8, text/event-stream;q=0.9"}, true}, accept_case{"all", {"*/*"}, false},
        accept_case{"all_and_events", {"*/*, text/event-stream"}, true}, accept_case{"all_text", {"text/*"}, true},
        accept_case{"all_text_less", {"text/*;q=0.1, */*;q=0.5"}, false},
        accept_case{"two_lines", {"application/json;q=0.1", "text/event-stream"}, true},
        accept_case{"with_a_parameter", {"text/event-stream;charset=utf-8"}, true},
        accept_case{"only_within_a_quote", {"application/x;a=\"text/event-stream,\""}, false},
        accept_case{"only_as_a_part", {"text/event-stream-x, application/json"}, false},
        accept_case{"no_weight", {"text/event-stream;q=2, application/json"}, false},
        accept_case{"weight_too_exact", {"text/event-stream;q=0.1234, application/json"}, false}, accept_case{"empty", {""}, false}),
    [](const auto& info) { return std::string(info.param.name); });

}    // namespace

}    // namespace caisson::net
