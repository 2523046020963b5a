#pragma once

#include "core/threads/ports.hpp"

#include <string>
#include <string_view>

namespace caisson {

/// Packs with zstd, each thread with memory of its own.
class zstd_state_packer : public state_packer {
public:
    packed_state pack(state_info info, std::string digest, std::string_view text, const packing_base* base) const override;
    bool wants_base(std::size_t text_bytes) const override { return text_bytes >= least_with_base; }

    /// Smaller texts cost about as much as the rows that name them.
    static constexpr std::size_t least_with_base = 16 << 10;
};

namespace sqlite {

/// What was packed, of `size_bytes`. `base` is the text that it was packed against; empty: none. Throws storage_error
/// (storage_fault::corrupt) if it is not that.
std::string unpack_state(std::string_view packed, std::size_t size_bytes, std::string_view base);

}    // namespace sqlite

}    // namespace caisson
