#include "storage/content/state_packer.hpp"

#include "storage/sqlite/errors.hpp"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <stdexcept>

namespace caisson {

namespace {

struct free_zstd {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

/// Small texts are many, and gain little by more work.
constexpr int small_level = 1;
constexpr int large_level = 3;
/// What goes by its base is this much smaller than that one is.
constexpr std::int64_t base_gain = 4;
constexpr int least_window = 15;
constexpr int most_window = 27;    // of the bits of a length: more than two states have

ZSTD_CCtx* compressor()
{
    thread_local const std::unique_ptr<ZSTD_CCtx, free_zstd> context(ZSTD_createCCtx());
    if (!context)
        throw std::bad_alloc();
    return context.get();
}

ZSTD_DCtx* decompressor()
{
    thread_local const std::unique_ptr<ZSTD_DCtx, free_zstd> context(ZSTD_createDCtx());
    if (!context)
        throw std::bad_alloc();
    return context.get();
}

std::size_t checked(std::size_t code)
{
    if (ZSTD_isError(code) != 0)
        throw std::runtime_error(std::string("a state cannot be packed: ") + ZSTD_getErrorName(code));
    return code;
}

/// The whole base and the whole text are within reach of each other.
int window_for(std::size_t bytes) { return std::clamp(static_cast<int>(std::bit_width(bytes)), least_window, most_window); }

std::string compressed(std::string_view text, std::string_view base)
{
    auto* const context = compressor();
    checked(ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters));
    const bool small = text.size() < zstd_state_packer::least_with_base;
    checked(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, small ? small_level : large_level));
    checked(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1));
    if (!base.empty()) {
        checked(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_for(base.size() + text.size())));
        checked(ZSTD_CCtx_refPrefix(context, base.data(), base.size()));
    }
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(checked(ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size())));
    packed.shrink_to_fit();
    return packed;
}

}    // namespace

packed_state zstd_state_packer::pack(state_info info, std::string digest, std::string_view text, const packing_base* base) const
{
    packed_state out{std::move(info), std::move(digest), std::nullopt, {}, {}};
    if (base != nullptr && wants_base(text.size())) {
        auto part = compressed(text, base->text.view());
        if (static_cast<std::int64_t>(part.size()) <= base->packed_bytes / base_gain) {
            out.base = base->key;
            out.base_digest = base->digest;
            out.bytes = shared_bytes(std::move(part));
            return out;
        }
    }
    out.bytes = shared_bytes(compressed(text, {}));
    return out;
}

namespace sqlite {

std::string unpack_state(std::string_view packed, std::size_t size_bytes, std::string_view base)
{
    auto* const context = decompressor();
    checked(ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters));
    checked(ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, most_window));
    if (!base.empty())
        checked(ZSTD_DCtx_refPrefix(context, base.data(), base.size()));
    std::string text(size_bytes, '\0');
    const auto made = ZSTD_decompressDCtx(context, text.data(), text.size(), packed.data(), packed.size());
    if (ZSTD_isError(made) != 0 || made != size_bytes)
        throw storage_error(storage_fault::corrupt, "records.db: a state is damaged");
    return text;
}

}    // namespace sqlite

}    // namespace caisson
