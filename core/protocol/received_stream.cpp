#include "core/protocol/received_stream.hpp"

#include <algorithm>
#include <utility>

namespace caisson::protocol {

std::optional<std::uint64_t> received_stream::skip_to(std::uint64_t offset)
{
    if (offset <= received_)
        return 0;
    if (ended_ || acknowledged_ < gap_end_)
        return std::nullopt;
    gap_ = offset - std::exchange(received_, offset);
    gap_end_ = offset;
    return gap_;
}

std::optional<std::string_view> received_stream::take(std::uint64_t offset, std::string_view bytes)
{
    const auto had = received_ - offset;
    if (had >= bytes.size())
        return std::string_view();
    if (ended_)
        return std::nullopt;
    const auto fresh = bytes.substr(had);
    if (held() + fresh.size() > stream_window_bytes)
        return std::nullopt;
    received_ += fresh.size();
    return fresh;
}

bool received_stream::finish() { return !std::exchange(ended_, true); }

void received_stream::acknowledge(std::uint64_t end) { acknowledged_ = std::max(acknowledged_, std::min(end, received_)); }

std::optional<std::uint64_t> received_stream::take_acknowledgement()
{
    if (told_ >= acknowledged_)
        return std::nullopt;
    told_ = acknowledged_;
    return told_;
}

std::uint64_t received_stream::held() const
{
    const auto missing = gap_end_ > acknowledged_ ? std::min(gap_, gap_end_ - acknowledged_) : 0;
    return received_ - acknowledged_ - missing;
}

}    // namespace caisson::protocol
