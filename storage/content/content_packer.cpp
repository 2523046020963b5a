#include "storage/content/content_packer.hpp"

#include <stdexcept>
#include <utility>

namespace caisson::sqlite {

namespace {

/// So many are stored in one go.
constexpr std::size_t most_contents = 512;
/// A pack that lacks no more than this is made a whole chunk, which is not written twice as shorter ones are.
constexpr std::size_t most_padding = chunk_bytes / 16;

}    // namespace

bool content_packer::has_room_for(std::size_t bytes) const
{
    return contents_.size() < most_contents && bytes <= chunk_bytes - bytes_.size();
}

content_ending content_packer::ending_of(std::string_view bytes, std::int64_t now_ms)
{
    hasher_->add(bytes);
    return {hasher_->finish(), static_cast<std::int64_t>(bytes.size()), now_ms};
}

content_change content_packer::alone(content_id id, shared_bytes bytes, std::int64_t now_ms)
{
    content_change made{std::move(id), true, 0, {}, ending_of(bytes.view(), now_ms)};
    if (!bytes.empty())
        made.chunks.push_back({hasher_->tag(tag_key_, bytes.view()), std::move(bytes)});
    return made;
}

content_ending content_packer::add(content_id id, std::string_view bytes, std::int64_t now_ms)
{
    if (!has_room_for(bytes.size()))
        throw std::logic_error("a content that does not fit into its pack");
    auto end = ending_of(bytes, now_ms);
    contents_.push_back({std::move(id), static_cast<std::int64_t>(bytes_.size()), end});
    if (!bytes_.empty())
        bytes_.reserve(chunk_bytes);
    bytes_ += bytes;
    return end;
}

content_pack content_packer::take()
{
    content_pack made;
    if (bytes_.size() >= chunk_bytes - most_padding)
        bytes_.resize(chunk_bytes);
    if (!bytes_.empty())
        made.chunk = {hasher_->tag(tag_key_, bytes_), shared_bytes(std::exchange(bytes_, {}))};
    made.contents = std::exchange(contents_, {});
    return made;
}

}    // namespace caisson::sqlite
