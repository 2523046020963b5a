#pragma once

#include <cstdint>
#include <span>

namespace caisson {

/// Fills `out` from the kernel's generator (getrandom(2)); fit for keys and nonces. Throws std::system_error.
void random_fill(std::span<std::uint8_t> out);

}    // namespace caisson
