#pragma once

#include "core/skills/types.hpp"

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace caisson {

/// `[0-9]+.[0-9]+.[0-9]+(-[a-zA-Z0-9.]+)?`, at most 64 bytes, numbers of at most 18 digits; no build part. Nothing: it is none.
std::optional<skill_version> parse_version(std::string_view text);

/// Precedence by semver.org 2.0.0: a pre-release is below its release, identifiers of digits below others and by their value.
std::strong_ordering operator<=>(const skill_version& left, const skill_version& right);
bool operator==(const skill_version& left, const skill_version& right);

/// Which of `versions` is the latest: the highest release, or the highest pre-release if there is no release. What is no version is
/// passed over. Nothing: none is left. Of equal ones ("1.0.0", "01.0.0") the first.
std::optional<std::size_t> latest_of(std::span<const std::string> versions);

}    // namespace caisson
