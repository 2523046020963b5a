#pragma once

#include "core/base/hasher.hpp"

namespace caisson {

/// A hasher by OpenSSL. Throws std::runtime_error if that has no SHA-256, or no GMAC for a tag.
std::unique_ptr<hasher> make_sha256_hasher();

}    // namespace caisson
