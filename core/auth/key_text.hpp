#pragma once

#include "core/base/secret.hpp"

#include <string>
#include <string_view>

namespace caisson {

/// `length` letters and digits from the kernel's generator, uniformly distributed over all 62. 43 of them hold 256 bits.
std::string random_letters(std::size_t length);

/// A new key: "csn_" and 43 letters and digits.
secret make_key_text();

/// True if `text` has the form of make_key_text(). Cheap: check it before hashing.
bool is_key_text(std::string_view text);

/// The last 4 characters, the only part of a key that may be shown.
std::string hint_of(std::string_view key_text);

}    // namespace caisson
