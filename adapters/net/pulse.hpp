#pragma once

#include "core/async/notifier.hpp"
#include "core/async/timers.hpp"

#include <map>
#include <memory>
#include <optional>

namespace caisson::net {

/// An object that needs periodic work.
class beating {
public:
    virtual ~beating() = default;

    /// Does the due work and returns the next due time; nothing: never. A pulse calls it; it must not destroy any beating object.
    virtual std::optional<steady_time> beat() = 0;
};

/// Calls many objects at their due times from one coroutine. I/O thread only.
class pulse {
public:
    /// `time` must outlive the pulse.
    pulse(io_executor executor, timers& time) : time_(time), sooner_(executor) { }

    /// Runs until cancelled. One call at a time.
    static task<> run(std::shared_ptr<pulse> self);

    std::size_t size() const { return due_.size(); }

private:
    friend class pulse_place;
    using places = std::multimap<steady_time, class pulse_place*>;

    void beat_due(steady_time now);

    timers& time_;
    notifier sooner_;    // the earliest due time moved forward
    places due_;
};

/// One object's registration with a pulse, until destroyed. `who` must own it.
class pulse_place {
public:
    pulse_place(std::shared_ptr<pulse> of, beating& who) : of_(std::move(of)), who_(who) { }
    ~pulse_place() { stop(); }
    pulse_place(const pulse_place&) = delete;
    pulse_place& operator=(const pulse_place&) = delete;

    /// Schedules the first beat. Must not be scheduled already, nor called from beat().
    void start(steady_time first);
    void stop();

private:
    friend class pulse;

    const std::shared_ptr<pulse> of_;
    beating& who_;
    std::optional<pulse::places::iterator> at_;
};

}    // namespace caisson::net
