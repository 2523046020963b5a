#include "storage/stores/thread_listing.hpp"

#include "storage/sql.hpp"

#include <algorithm>
#include <limits>

namespace caisson::sqlite {

namespace {

/// Positions from `first` to `last`; none if first is behind last.
struct position_range {
    std::int64_t first = 1;
    std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

struct place_in_time {
    std::int64_t position = 0;
    std::int64_t created_at_ms = 0;
};

std::optional<place_in_time> first_from(connection& db, std::int64_t thread_key, std::int64_t position)
{
    auto query = db.prepare(sql::checkpoint::find_from);
    return query.bind(thread_key, position).step() ? std::optional(place_in_time{query.integer(0), query.integer(1)}) : std::nullopt;
}

/// The least position whose checkpoint, or the next one that is there, was made at `time_ms` or later: times never go back.
std::int64_t first_at(connection& db, const stored_thread& thread, std::int64_t time_ms)
{
    std::int64_t low = 1;
    std::int64_t high = thread.row.next_position;
    while (low < high) {
        const auto middle = low + (high - low) / 2;
        const auto there = first_from(db, thread.row.key, middle);
        if (!there || there->created_at_ms >= time_ms)
            high = middle;
        else
            low = there->position + 1;
    }
    return low;
}

error no_bound(const char* field, const checkpoint_id& id)
{
    const auto message = "names no checkpoint of this thread: " + id.str();
    return {errc::bad_request, std::string(field) + " " + message, {{field, message}}};
}

result<position_range> range_of(connection& db, const stored_thread& thread, const checkpoint_filter& filter)
{
    position_range range;
    for (const auto* field : {"after", "before"}) {
        const bool is_after = field == std::string_view("after");
        const auto& bound = is_after ? filter.after : filter.before;
        if (!bound)
            continue;
        if (const auto* time_ms = std::get_if<std::int64_t>(&*bound)) {
            is_after ? range.first = first_at(db, thread, *time_ms) : range.last = first_at(db, thread, *time_ms + 1) - 1;
            continue;
        }
        const auto position = find_position(db, thread.row.key, std::get<checkpoint_id>(*bound));
        if (!position)
            return no_bound(field, std::get<checkpoint_id>(*bound));
        is_after ? range.first = *position : range.last = *position;
    }
    if (filter.beyond) {
        if (filter.order == list_order::oldest_first)
            range.first = std::max(range.first, *filter.beyond + 1);
        else
            range.last = std::min(range.last, *filter.beyond - 1);
    }
    return range;
}

/// As how many checkpoints this one counts that are looked at: custom metadata that is compared takes its time.
std::size_t weight_of(const checkpoint_metadata& metadata, const metadata_filter& wanted)
{
    constexpr std::size_t bytes_of_one = 256;
    return 1 + (wanted.custom.empty() ? 0 : metadata.custom.size() / bytes_of_one);
}

statement list_statement(connection& db, const stored_thread& thread, const checkpoint_filter& filter, const position_range& range)
{
    auto query = db.prepare(filter.order == list_order::oldest_first ? sql::checkpoint::list : sql::checkpoint::list_newest_first);
    query.set(":thread", thread.row.key).set(":first", range.first).set(":last", range.last);
    query.set(":step", filter.metadata.step).set(":node_id", filter.metadata.node_id);
    return query;
}

}    // namespace

result<checkpoint_page> list_checkpoints(connection& db, const stored_thread& thread, const checkpoint_filter& filter, state_cache& cache)
{
    const auto range = range_of(db, thread, filter);
    if (range.has_error())
        return range.error();
    auto query = list_statement(db, thread, filter, *range);
    checkpoint_page page;
    std::size_t bytes = 0;
    std::int64_t seen = 0;
    std::size_t looked = 0;
    while (query.step()) {
        const bool is_full = page.items.size() >= filter.limit || bytes >= filter.most_bytes || looked >= filter.most_looked_at;
        if (is_full) {
            page.next = seen;
            break;
        }
        auto listed = checkpoint_from(query, thread);
        seen = listed.row.position;
        looked += weight_of(listed.row.metadata, filter.metadata);
        if (!matches(listed.row.metadata, filter.metadata))
            continue;
        auto state = filter.with_states ? load_state(db, listed.state_key, listed.digest, cache) : shared_bytes();
        bytes += state.size() + text_bytes(listed.row);
        page.items.push_back({std::move(listed.row), std::move(state), std::move(listed.request)});
    }
    return page;
}

}    // namespace caisson::sqlite
