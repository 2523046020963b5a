#pragma once

#include "core/base/hasher.hpp"

namespace caisson {

/// Makes a hasher based on OpenSSL. Throws std::runtime_error if OpenSSL lacks SHA-256, or GMAC for a tag.
std::unique_ptr<hasher> make_sha256_hasher();

}    // namespace caisson
