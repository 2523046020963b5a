#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace caisson {

/// SHA-256 of bytes that come in pieces, and keyed tags. One thread at a time.
class hasher {
public:
    virtual ~hasher() = default;
    virtual void add(std::string_view bytes) = 0;
    /// 32 raw bytes, of all since the last call; it begins anew.
    virtual std::string finish() = 0;
    /// 16 raw bytes that tell `bytes` from others; who does not know `key`, of 32 bytes, cannot make two with one tag. Independent of
    /// what was added. Several times as fast as a digest.
    virtual std::string tag(std::string_view key, std::string_view bytes) = 0;
};

/// Makes one. From any thread.
using hasher_factory = std::unique_ptr<hasher> (*)();

/// Lower-case hex of raw bytes.
std::string to_hex(std::string_view bytes);

}    // namespace caisson
