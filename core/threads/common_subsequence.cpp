#include "core/threads/common_subsequence.hpp"

#include <algorithm>

namespace caisson {

namespace {

using numbers = std::span<const std::uint32_t>;

/// Myers' greedy search for the shortest edit script. A path of `edits` edits ends on one of the diagonals -edits, 2 - edits, …, edits,
/// where the diagonal is the index in `from` minus the one in `to`; row `edits` has the furthest index in `from` on each.
class edit_search {
public:
    edit_search(numbers from, numbers to, std::size_t& steps_left) : from_(from), to_(to), steps_left_(steps_left) { }

    /// False if it would take too many steps.
    bool run()
    {
        for (std::size_t edits = 0;; ++edits)
            for (std::size_t slot = 0; slot <= edits; ++slot) {
                if (!extend(edits, slot))
                    return false;
                if (furthest_.back() == from_.size() && to_index(edits, slot, furthest_.back()) == std::ssize(to_)) {
                    edits_ = edits;
                    slot_ = slot;
                    return true;
                }
            }
    }

    /// The common elements on the path that run() found, in order.
    std::vector<common_element> common() const
    {
        std::vector<common_element> found;
        auto slot = slot_;
        for (auto edits = edits_;; --edits) {
            for (auto at = row(edits)[slot]; at > begin_of(edits, slot); --at)
                found.push_back({at - 1, static_cast<std::size_t>(to_index(edits, slot, at)) - 1});
            if (edits == 0)
                break;
            slot -= removes(edits, slot) ? 1 : 0;
        }
        std::ranges::reverse(found);
        return found;
    }

private:
    const std::uint32_t* row(std::size_t edits) const { return furthest_.data() + edits * (edits + 1) / 2; }

    std::ptrdiff_t to_index(std::size_t edits, std::size_t slot, std::size_t at) const
    {
        return static_cast<std::ptrdiff_t>(at + edits) - static_cast<std::ptrdiff_t>(2 * slot);
    }

    /// True if the last edit of the path on this diagonal removes an element of `from`; else it adds one of `to`.
    bool removes(std::size_t edits, std::size_t slot) const
    {
        const auto* before = row(edits - 1);
        return slot == edits || (slot > 0 && before[slot - 1] >= before[slot]);
    }

    /// The index in `from` after the path's last edit, before the equal elements.
    std::size_t begin_of(std::size_t edits, std::size_t slot) const
    {
        if (edits == 0)
            return 0;
        return removes(edits, slot) ? row(edits - 1)[slot - 1] + std::size_t{1} : row(edits - 1)[slot];
    }

    bool extend(std::size_t edits, std::size_t slot)
    {
        auto at = begin_of(edits, slot);
        auto other = to_index(edits, slot, at);
        for (; at < from_.size() && other < std::ssize(to_) && from_[at] == to_[static_cast<std::size_t>(other)]; ++at, ++other)
            if (!take_step())
                return false;
        furthest_.push_back(static_cast<std::uint32_t>(at));
        return take_step();
    }

    bool take_step()
    {
        if (steps_left_ == 0)
            return false;
        --steps_left_;
        return true;
    }

    numbers from_;
    numbers to_;
    std::size_t& steps_left_;
    std::vector<std::uint32_t> furthest_;    // rows, concatenated
    std::size_t edits_ = 0;                  // of the path found
    std::size_t slot_ = 0;
};

}    // namespace

std::vector<common_element> common_subsequence(numbers from, numbers to, std::size_t& steps_left)
{
    edit_search search(from, to, steps_left);
    return search.run() ? search.common() : std::vector<common_element>();
}

}    // namespace caisson
