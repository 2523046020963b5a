#pragma once

#include "core/retry/types.hpp"
#include "core/skills/field_reader.hpp"

#include <initializer_list>

namespace caisson {

inline constexpr std::initializer_list<std::string_view> retry_keys{
    "attempts", "first_delay", "multiplier", "max_delay", "on", "exit_codes"};

/// Reads `retry` of a manifest. Absent members keep the defaults of retry_policy.
retry_policy read_retry(field_reader& fields);

}    // namespace caisson
