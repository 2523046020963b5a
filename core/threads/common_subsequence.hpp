#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace caisson {

/// An element that two lists have in common: its index in each.
struct common_element {
    std::size_t from = 0;
    std::size_t to = 0;
};

/// A longest common subsequence of two lists whose equal elements have equal numbers, in order. Nothing if finding it would take more
/// than `steps_left`, from which the steps that were taken are subtracted: about their common length times the elements that are in one
/// of them only, and the square of those.
std::vector<common_element> common_subsequence(
    std::span<const std::uint32_t> from, std::span<const std::uint32_t> to, std::size_t& steps_left);

}    // namespace caisson
