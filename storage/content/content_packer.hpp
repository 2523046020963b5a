#pragma once

#include "storage/content/content_rows.hpp"

#include <memory>
#include <string>

namespace caisson::sqlite {

/// Computes the digests of small contents, and gathers them into packs. One thread.
class content_packer {
public:
    /// `hashing` has nothing added to it.
    content_packer(std::unique_ptr<hasher> hashing, std::string tag_key) : hasher_(std::move(hashing)), tag_key_(std::move(tag_key)) { }

    /// A content that lies in no pack, but in a chunk of its own. Returns what is to be stored.
    content_change alone(content_id id, shared_bytes bytes, std::int64_t now_ms);

    bool empty() const { return contents_.empty(); }
    /// Whether a content of so many bytes fits beside what there is. An empty packer has room for a chunk.
    bool has_room_for(std::size_t bytes) const;
    content_ending add(content_id id, std::string_view bytes, std::int64_t now_ms);
    /// What was added. The packer is empty then.
    content_pack take();
    /// For another one, at the end.
    std::unique_ptr<hasher> release() { return std::move(hasher_); }

private:
    content_ending ending_of(std::string_view bytes, std::int64_t now_ms);

    std::unique_ptr<hasher> hasher_;
    const std::string tag_key_;
    std::string bytes_;
    std::vector<packed_content> contents_;
};

}    // namespace caisson::sqlite
