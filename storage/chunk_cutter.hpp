#pragma once

#include "core/base/hasher.hpp"
#include "core/base/shared_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace caisson::sqlite {

/// All chunks of a content but the last have this size.
inline constexpr std::size_t chunk_bytes = 256 << 10;

struct content_chunk {
    std::string sha256;    // raw
    shared_bytes data;
};

/// Cuts one content into chunks and computes its digests. One thread at a time.
class chunk_cutter {
public:
    explicit chunk_cutter(hasher_factory make) : make_(make), of_chunk_(make()) { }

    /// The chunks that `parts` complete.
    std::vector<content_chunk> add(const std::vector<shared_bytes>& parts);
    /// The last one, if there is any rest. Nothing may be added afterwards.
    std::vector<content_chunk> finish();

    /// Of what was cut so far; raw.
    std::string digest();

private:
    void cut(std::vector<content_chunk>& into);

    hasher_factory make_;
    std::unique_ptr<hasher> of_chunk_;
    std::unique_ptr<hasher> of_all_;    // of a content of more than one chunk
    std::string only_digest_;           // of its first chunk, until there is another one
    std::string rest_;
};

}    // namespace caisson::sqlite
