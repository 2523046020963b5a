#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace caisson {

/// Incremental SHA-256, and keyed tags. One thread at a time.
class hasher {
public:
    virtual ~hasher() = default;
    virtual void add(std::string_view bytes) = 0;
    /// The digest of all bytes since the last call, 32 raw bytes. Resets the hasher.
    virtual std::string finish() = 0;
    /// A keyed tag of `bytes`, 16 raw bytes; `key` has 32 bytes. Without the key nobody can make two inputs with the same tag.
    /// Independent of add(). Several times as fast as a digest.
    virtual std::string tag(std::string_view key, std::string_view bytes) = 0;
};

/// Makes a hasher. Call from any thread.
using hasher_factory = std::unique_ptr<hasher> (*)();

/// Lower-case hex of raw bytes.
std::string to_hex(std::string_view bytes);

}    // namespace caisson
