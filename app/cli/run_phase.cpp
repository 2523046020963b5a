#include "app/cli/run_phase.hpp"

#include "app/cli/quantities.hpp"

#include <chrono>

namespace caisson::cli {

namespace {

using namespace std::chrono_literals;

constexpr auto least_quiet = 900ms;    // less than a second, so that the next tick after a second shows the line

}    // namespace

void run_phase::become(state next, steady_time now)
{
    if (state_ == next || state_ == state::cancelling)
        return;
    state_ = next;
    since_ = now;
    place_.reset();
    waits_for_.clear();
}

void run_phase::printed(bool at_line_start, steady_time now)
{
    at_line_start_ = at_line_start;
    quiet_since_ = now;
}

std::string run_phase::line(steady_time now) const
{
    if (!at_line_start_ || now - quiet_since_ < least_quiet)
        return {};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since_).count();
    const auto how_long = seconds > 0 ? ", " + show_duration(seconds * 1'000) : std::string();
    if (state_ == state::cancelling)
        return "caisson: being cancelled" + how_long;
    if (state_ == state::running)
        return "caisson: running" + how_long;
    if (!waits_for_.empty())
        return "caisson: " + waits_for_ + how_long;
    return "caisson: " + (place_ ? "place " + std::to_string(*place_) + " in the queue" : std::string("waiting")) + how_long;
}

}    // namespace caisson::cli
