#include "app/cli/run_key.hpp"

#include "core/base/hasher.hpp"
#include "core/base/random.hpp"

#include <array>

namespace caisson::cli {

std::string new_run_key()
{
    std::array<std::uint8_t, 16> random{};
    random_fill(random);
    return "run-" + to_hex({reinterpret_cast<const char*>(random.data()), random.size()});
}

}    // namespace caisson::cli
