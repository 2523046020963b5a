#include "adapters/engine/pull_run.hpp"

#include "adapters/engine/engine_error.hpp"
#include "core/async/deadline.hpp"

#include <algorithm>

namespace caisson::docker {

pull_run::pull_run(timers& time, net::body_reader& from, options how)
    : time_(time)
    , from_(from)
    , how_(std::move(how))
    , state_(how_.image)
    , told_(state_.progress())
    , tell_at_(time.steady_now())
    , stalls_at_(time.steady_now() + how_.stall)
{
}

task<result<void>> pull_run::follow()
{
    while (!state_.failed()) {
        const auto until = next_look();
        auto piece = co_await with_deadline(time_, until, from_.read());
        auto went = result<void>();
        if (piece.has_error() && piece.error().code == errc::timed_out)
            went = look();
        else if (piece.has_error())
            went = piece.error();
        else if (*piece)
            went = take(**piece);
        else
            break;
        if (went.has_error())
            co_return went.error();
    }
    if (untold())
        tell();
    if (state_.failed())
        co_return *state_.failed();
    if (!lines_.between_objects())
        co_return not_an_engine("its answer ends within a line");
    co_return result<void>();
}

steady_time pull_run::next_look() const
{
    const auto ends = std::min(how_.deadline, stalls_at_);
    return untold() ? std::min(ends, tell_at_) : ends;
}

result<void> pull_run::look()
{
    tell_if_due();
    const auto now = time_.steady_now();
    if (now >= how_.deadline)
        return error{errc::timed_out, "it took too long"};
    if (now >= stalls_at_)
        return error{errc::timed_out, "no layer got on for " + std::to_string(how_.stall.count()) + " ms"};
    return {};
}

result<void> pull_run::take(std::string_view bytes)
{
    while (!state_.failed()) {
        auto line = lines_.next(bytes);
        if (line.has_error())
            return line.error();
        if (!*line)
            break;
        try {
            if (state_.take(**line) == pull_state::step::moved)
                stalls_at_ = time_.steady_now() + how_.stall;
        } catch (const std::exception& e) {
            return not_an_engine(std::string("of a pull it says what cannot be read: ") + e.what());
        }
    }
    tell_if_due();
    return {};
}

void pull_run::tell_if_due()
{
    if (untold() && time_.steady_now() >= tell_at_)
        tell();
}

void pull_run::tell()
{
    told_ = state_.progress();
    tell_at_ = time_.steady_now() + told_apart;
    how_.progress(told_);
}

}    // namespace caisson::docker
