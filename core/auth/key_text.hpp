#pragma once

#include "core/base/secret.hpp"

#include <string>
#include <string_view>

namespace caisson {

/// `length` letters and digits from the kernel's generator, each of the 62 as likely. 43 hold 256 bits.
std::string random_letters(std::size_t length);

/// A new key: "csn_" and 43 letters and digits.
secret make_key_text();

/// True if `text` could have come from make_key_text(). Cheap; to be asked before anything is hashed.
bool is_key_text(std::string_view text);

/// The last 4 characters: what may be shown of a key.
std::string hint_of(std::string_view key_text);

}    // namespace caisson
