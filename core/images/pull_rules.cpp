#include "core/images/pull_rules.hpp"

#include <algorithm>

namespace caisson {

std::string pull_sentence(std::string_view reference, const image_progress& now)
{
    const auto text = "the image " + std::string(reference) + " is being pulled";
    if (now.bytes_total <= 0)
        return text;
    const auto done = std::clamp<std::int64_t>(now.bytes, 0, now.bytes_total);
    return text + ": " + std::to_string(done * 100 / now.bytes_total) + " %";
}

}    // namespace caisson
