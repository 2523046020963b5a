#include "adapters/schema/step_budget.hpp"

#include <algorithm>

namespace caisson {

namespace {

constexpr std::size_t steps_between_looks = 1'000;

}    // namespace

void step_budget::charge(std::size_t steps)
{
    used_ += std::min(steps, most_ + 1);
    if (used_ > most_)
        throw given_up{"the schema is too costly: the check was given up after " + std::to_string(most_) + " steps"};
    if (used_ < next_look_)
        return;
    next_look_ = used_ + steps_between_looks;
    if (std::chrono::steady_clock::now() > until_)
        throw given_up{"the schema is too costly: the check takes longer than " + std::to_string(longest.count()) + " seconds"};
}

}    // namespace caisson
