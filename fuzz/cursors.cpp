/// Cursors of logs and of lists: each place has one cursor, and what is not a cursor is not taken for one.
#include "app/wire/query.hpp"
#include "core/log/events.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace caisson;
    fuzz::input in(data, size);
    const bool made = in.byte() % 2 == 1;
    if (made) {    // of any three numbers
        const log_position place{in.number(8), in.number(8), in.number(8)};
        const bool fits = place.control <= INT64_MAX && place.stdout_end <= INT64_MAX - place.control &&
                          place.stderr_end <= INT64_MAX - place.control - place.stdout_end;
        const auto back = from_cursor(to_cursor(place));
        FUZZ_CHECK(back.has_value() == fits && (!fits || *back == place));
        return 0;
    }
    const std::string text(in.rest());
    if (const auto place = from_cursor(text)) {
        FUZZ_CHECK(text.empty() || text == "0" || to_cursor(*place) == text);
        FUZZ_CHECK(place->seq() <= INT64_MAX);
    }
    if (const auto list = wire::parse_list_query({{"cursor", text}}); list && list->filter.before)
        FUZZ_CHECK(wire::list_cursor(*list->filter.before) == text);
    return 0;
}
