#include "core/protocol/stdin_queue.hpp"

#include <algorithm>

namespace caisson::protocol {

void stdin_queue::push(std::uint64_t offset, shared_bytes bytes)
{
    if (finished_ || offset > end_ || end_ - offset >= bytes.size())
        return;
    bytes = bytes.slice(end_ - offset);
    const auto at = end_;
    end_ += bytes.size();
    pieces_.push_back({at, std::move(bytes)});
}

void stdin_queue::finish(std::uint64_t end)
{
    if (finished_)
        return;
    finished_ = true;
    end_ = std::clamp(end, std::max(taken_, sent_), std::max(end_, sent_));
}

void stdin_queue::restart(std::uint64_t window)
{
    sent_ = taken_;
    limit_ = taken_ + window;
    end_sent_ = false;
}

bool stdin_queue::acknowledge(std::uint64_t taken, std::uint64_t limit)
{
    limit_ = std::max(limit_, limit);
    if (taken <= taken_)
        return false;
    taken_ = taken;
    end_ = std::max(end_, taken);
    sent_ = std::max(sent_, taken);
    while (!pieces_.empty() && pieces_.front().offset + pieces_.front().bytes.size() <= taken_)
        pieces_.pop_front();
    return true;
}

shared_bytes stdin_queue::next(std::uint64_t& offset)
{
    offset = sent_;
    if (sent_ >= end_ || sent_ >= limit_)
        return {};
    const auto after =
        std::upper_bound(pieces_.begin(), pieces_.end(), sent_, [](std::uint64_t at, const piece& p) { return at < p.offset; });
    const auto& holds = *std::prev(after);
    const auto may = std::min(end_, limit_) - sent_;
    const auto part = holds.bytes.slice(sent_ - holds.offset, std::min<std::uint64_t>(may, max_chunk_bytes));
    const auto length = chunk_length(part.view());
    sent_ += length;
    return part.slice(0, length);
}

bool stdin_queue::take_end()
{
    if (!finished_ || end_sent_ || sent_ < end_)
        return false;
    end_sent_ = true;
    return true;
}

}    // namespace caisson::protocol
