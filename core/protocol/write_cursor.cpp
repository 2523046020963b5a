#include "core/protocol/write_cursor.hpp"

#include <algorithm>

namespace caisson::protocol {

std::span<iovec> write_cursor::pieces()
{
    const auto count = std::min(parts_.size(), pieces_.size());
    for (std::size_t i = 0; i < count; ++i)
        pieces_[i] = {const_cast<char*>(parts_[i].data()), parts_[i].size()};
    if (count > 0)
        pieces_[0] = {const_cast<char*>(parts_[0].data()) + first_done_, parts_[0].size() - first_done_};
    return {pieces_.data(), count};
}

void write_cursor::advance(std::size_t written)
{
    while (written > 0 && !parts_.empty()) {
        const auto step = std::min(written, parts_[0].size() - first_done_);
        first_done_ += step;
        written -= step;
        skip_empty();
    }
}

void write_cursor::skip_empty()
{
    while (!parts_.empty() && first_done_ == parts_[0].size()) {
        parts_ = parts_.subspan(1);
        first_done_ = 0;
    }
}

}    // namespace caisson::protocol
