#include "storage/content/chunk_cutter.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace caisson::sqlite {

std::vector<content_chunk> chunk_cutter::add(const std::vector<shared_bytes>& parts)
{
    std::vector<content_chunk> made;
    auto coming = std::transform_reduce(parts.begin(), parts.end(), std::size_t{0}, std::plus<>(), std::mem_fn(&shared_bytes::size));
    for (const auto& part : parts) {
        for (auto left = part.view(); !left.empty();) {
            rest_.reserve(std::min(chunk_bytes, rest_.size() + coming));
            const auto taken = left.substr(0, chunk_bytes - rest_.size());
            rest_ += taken;
            left.remove_prefix(taken.size());
            coming -= taken.size();
            if (rest_.size() == chunk_bytes)
                cut(shared_bytes(std::exchange(rest_, {})), made);
        }
    }
    return made;
}

std::vector<content_chunk> chunk_cutter::finish(const std::vector<shared_bytes>& parts)
{
    std::vector<content_chunk> made;
    if (rest_.empty() && parts.size() == 1 && parts.front().size() <= chunk_bytes && !parts.front().empty()) {
        cut(parts.front(), made);    // most files are one: they are not copied
        return made;
    }
    made = add(parts);
    if (!rest_.empty())
        cut(shared_bytes(std::exchange(rest_, {})), made);
    return made;
}

void chunk_cutter::cut(shared_bytes data, std::vector<content_chunk>& into)
{
    hasher_->add(data.view());
    auto tag = hasher_->tag(tag_key_, data.view());
    into.push_back({std::move(tag), std::move(data)});
}

}    // namespace caisson::sqlite
