#pragma once

#include "core/images/types.hpp"

#include <string>
#include <string_view>

namespace caisson {

/// "the image python:3.12-slim is being pulled: 43 %".
std::string pull_sentence(std::string_view reference, const image_progress& now);

}    // namespace caisson
