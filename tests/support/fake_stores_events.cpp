#include "tests/support/fake_stores.hpp"

namespace caisson::testing {

namespace {

constexpr std::size_t max_events_per_read = 4096;

}    // namespace

void fake_event_store::uncork()
{
    corked_ = false;
    for (auto& resume : std::exchange(held_, {}))
        resume(nullptr, std::monostate{});
}

task<> fake_event_store::wait_uncorked()
{
    auto start = [this](completion<void> resume) { held_.push_back(std::move(resume)); };
    return suspend_until_complete<void>(std::move(start));
}

result<void> fake_event_store::add(const execution_id& id, const event_list& events, const std::vector<stream_cut>& cuts)
{
    log changed = logs_[id];
    for (const auto& each : events) {
        const auto [place, fresh] = changed.by_seq.emplace(each->end.seq(), each);
        if (!fresh && place->second->end != each->end)
            return error{errc::conflict, "another event of " + id.str() + " ends at " + std::to_string(each->end.seq())};
    }
    for (const auto& cut : cuts)
        changed.cuts.emplace(cut.stream, cut.offset);
    logs_[id] = std::move(changed);
    return {};
}

result<void> fake_event_store::add_whole(const execution_id& id, const event_list& events)
{
    auto added = add(id, events, {});
    logs_[id].whole = true;
    return added;
}

void fake_event_store::erase_whole(const execution_id& id)
{
    const auto found = logs_.find(id);
    if (found != logs_.end() && found->second.whole)
        logs_.erase(found);
}

task<result<void>> fake_event_store::append(execution_id id, event_list events, std::vector<stream_cut> cuts)
{
    if (corked_)
        co_await wait_uncorked();
    if (auto planned = enter())
        co_return *planned;
    auto added = add(id, events, cuts);
    appends_ += added.has_value() ? 1 : 0;
    co_return added;
}

task<result<event_list>> fake_event_store::read(execution_id id, log_position after, std::size_t max_bytes)
{
    if (auto planned = enter())
        co_return *planned;
    event_list page;
    std::size_t bytes = 0;
    for (const auto& [seq, each] : logs_[id].by_seq) {
        if (each->covered_by(after))
            continue;
        bytes += each->data.size();
        if (!page.empty() && (bytes > max_bytes || page.size() >= max_events_per_read))
            break;
        page.push_back(each);
    }
    co_return page;
}

task<result<log_extent>> fake_event_store::extent(execution_id id)
{
    if (auto planned = enter())
        co_return *planned;
    log_extent found;
    const auto& stored = logs_[id];
    for (const auto& [seq, each] : stored.by_seq) {
        found.end = each->end;
        found.stored_output_bytes += each->data.size();
        found.stored_bytes += each->stored_bytes();
        found.has_exit = found.has_exit || each->kind == event_kind::exit;
        auto& truncated = each->stream == output_stream::stdout_stream ? found.stdout_truncated : found.stderr_truncated;
        truncated = truncated || each->kind == event_kind::truncated;
    }
    for (const auto& [stream, offset] : stored.cuts)
        found.cuts.push_back({stream, offset});
    co_return found;
}

task<result<void>> fake_event_store::erase(execution_id id)
{
    if (erasing_)
        erasing_();
    if (auto planned = enter())
        co_return *planned;
    if (const auto found = logs_.find(id); found != logs_.end() && !found->second.whole)
        logs_.erase(found);
    co_return result<void>();
}

event_list fake_event_store::events(const execution_id& id) const
{
    event_list all;
    const auto found = logs_.find(id);
    if (found == logs_.end())
        return all;
    for (const auto& [seq, each] : found->second.by_seq)
        all.push_back(each);
    return all;
}

}    // namespace caisson::testing
