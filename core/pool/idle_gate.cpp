#include "core/pool/idle_gate.hpp"

#include "core/async/deadline.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <iterator>
#include <optional>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// A short program ends sooner, and a client that sends one request after the other begins the next one.
constexpr std::chrono::milliseconds least_quiet = 20ms;
/// What is made takes the processors for long: who can wait for longer also waits out longer programs, for this part of its time.
constexpr int quiet_part = 4;

}    // namespace

/// Many wait to remove at once, and only the first of them watches the clock: whoever goes, for whatever reason, wakes the next.
class idle_gate::place {
public:
    place(std::shared_ptr<std::list<place*>> line, io_executor executor, steady_time until)
        : line_(std::move(line)), until_(until), woken_(executor)
    {
        auto next = line_->end();
        while (next != line_->begin() && (*std::prev(next))->until_ > until)
            --next;
        at_ = line_->insert(next, this);
    }
    ~place()
    {
        const bool first = is_first();
        line_->erase(at_);
        if (first && !line_->empty())
            line_->front()->woken_.notify_all();
    }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

    bool is_first() const { return line_->begin() == at_; }
    notifier& woken() { return woken_; }

private:
    std::shared_ptr<std::list<place*>> line_;    // frames may outlive the idle gate
    std::list<place*>::iterator at_;
    steady_time until_;
    notifier woken_;
};

void idle_gate::release_waiters(work what)
{
    hurried_by(what).notify_all();
    if (what == work::removing)
        for (auto* each : *line_)
            each->woken().notify_all();
}

void idle_gate::close()
{
    closed_ = true;
    release_waiters(work::making);
    release_waiters(work::removing);
    release_waiters(work::preparing);
}

task<> idle_gate::wait(work what, std::chrono::milliseconds longest)
{
    const auto until = time_.steady_now() + longest;
    const auto quiet = what != work::removing ? std::max(least_quiet, longest / quiet_part) : least_quiet;
    auto& hurried = hurried_by(what);
    const auto seen = hurried.version();
    std::optional<place> own;
    if (what == work::removing)
        own.emplace(line_, executor_, until);
    for (;;) {
        const auto cancelled = co_await asio::this_coro::cancellation_state;    // which may have been together with the waking
        if (cancelled.cancelled() != asio::cancellation_type::none)
            throw boost::system::system_error(asio::error::operation_aborted);
        if (busy_ > 0 || collecting_ > 0)
            note_activity();
        const auto end = std::min(until, last_ + quiet);
        if (closed_ || hurried.version() != seen || time_.steady_now() >= end)
            co_return;
        auto& woken = own ? own->woken() : hurried;
        auto waking = woken.wait_past(woken.version());
        if (own && !own->is_first())
            co_await std::move(waking);
        else
            static_cast<void>(co_await with_deadline(time_, end, std::move(waking)));
    }
}

}    // namespace caisson
