#pragma once

#include "adapters/net/percent.hpp"

#include <string>

namespace caisson::cli {

inline std::string thread_address(const std::string& thread) { return "/v1/threads/" + net::percent_encode(thread); }

inline std::string checkpoint_address(const std::string& thread, const std::string& checkpoint)
{
    return thread_address(thread) + "/checkpoints/" + net::percent_encode(checkpoint);
}

}    // namespace caisson::cli
