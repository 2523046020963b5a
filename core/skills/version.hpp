#pragma once

#include "core/skills/types.hpp"

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace caisson {

/// `[0-9]+.[0-9]+.[0-9]+(-[a-zA-Z0-9.]+)?`, at most 64 bytes, numbers of at most 18 digits; no build part. Else nullopt.
std::optional<skill_version> parse_version(std::string_view text);

/// Precedence by semver.org 2.0.0: a pre-release is below its release; numeric identifiers are below others and compare by value.
std::strong_ordering operator<=>(const skill_version& left, const skill_version& right);
bool operator==(const skill_version& left, const skill_version& right);

/// The index of the latest version: the highest release, or the highest pre-release if there is no release. Skips invalid versions;
/// nullopt if none is valid. Of equal versions ("1.0.0", "01.0.0") the first wins.
std::optional<std::size_t> latest_of(std::span<const std::string> versions);

}    // namespace caisson
