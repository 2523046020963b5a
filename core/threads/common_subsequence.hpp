#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace caisson {

/// An element that two lists have in common, by its index in each.
struct common_element {
    std::size_t from = 0;
    std::size_t to = 0;
};

/// A longest common subsequence, in order, of two lists; equal elements have equal numbers. Empty if the search would take more than
/// `steps_left`. Subtracts the steps taken, in the worst case about d * (n + d), where n is the number of common elements and d is the
/// number of elements that are in one list only.
std::vector<common_element> common_subsequence(
    std::span<const std::uint32_t> from, std::span<const std::uint32_t> to, std::size_t& steps_left);

}    // namespace caisson
