#pragma once

#include "core/async/notifier.hpp"
#include "core/async/timers.hpp"

#include <map>
#include <memory>
#include <optional>

namespace caisson::net {

/// Something that has to be looked after every now and then.
class beating {
public:
    virtual ~beating() = default;

    /// Does what is due now, and says when it is due again. Nothing: never. Called by a pulse, it destroys nobody.
    virtual std::optional<steady_time> beat() = 0;
};

/// Looks after many in one coroutine, each at times of its own: of those that are idle none needs one. I/O thread only.
class pulse {
public:
    /// `time` outlives it.
    pulse(io_executor executor, timers& time) : time_(time), sooner_(executor) { }

    /// Until it is cancelled. One call at a time.
    static task<> run(std::shared_ptr<pulse> self);

    std::size_t size() const { return due_.size(); }

private:
    friend class pulse_place;
    using places = std::multimap<steady_time, class pulse_place*>;

    void beat_due(steady_time now);

    timers& time_;
    notifier sooner_;    // something is due before all others
    places due_;
};

/// The place of one that is looked after; it ends with it. `who` owns it.
class pulse_place {
public:
    pulse_place(std::shared_ptr<pulse> of, beating& who) : of_(std::move(of)), who_(who) { }
    ~pulse_place() { stop(); }
    pulse_place(const pulse_place&) = delete;
    pulse_place& operator=(const pulse_place&) = delete;

    /// From then on. Not while it is being looked after.
    void start(steady_time first);
    void stop();

private:
    friend class pulse;

    const std::shared_ptr<pulse> of_;
    beating& who_;
    std::optional<pulse::places::iterator> at_;
};

}    // namespace caisson::net
