#pragma once

#include "core/base/hasher.hpp"
#include "core/base/shared_bytes.hpp"
#include "storage/content/chunk_file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace caisson::sqlite {

struct content_chunk {
    std::string tag;
    shared_bytes data;
};

/// Cuts one content into chunks, with their tags, and computes its digest. One thread at a time.
class chunk_cutter {
public:
    /// `hashing` has nothing added to it.
    chunk_cutter(std::unique_ptr<hasher> hashing, std::string tag_key) : hasher_(std::move(hashing)), tag_key_(std::move(tag_key)) { }

    /// The chunks that `parts` complete.
    std::vector<content_chunk> add(const std::vector<shared_bytes>& parts);
    /// The same, and the rest. Nothing may be added afterwards.
    std::vector<content_chunk> finish(const std::vector<shared_bytes>& parts);

    /// SHA-256 of what was cut, raw. To be called once.
    std::string digest() { return hasher_->finish(); }
    /// For another one, after digest(): making one takes longer than hashing a small file.
    std::unique_ptr<hasher> release() { return std::move(hasher_); }

private:
    void cut(shared_bytes data, std::vector<content_chunk>& into);

    std::unique_ptr<hasher> hasher_;
    const std::string tag_key_;
    std::string rest_;
};

}    // namespace caisson::sqlite
