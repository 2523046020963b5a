#pragma once

#include "adapters/engine/container_types.hpp"
#include "adapters/engine/engine.hpp"

#include <functional>
#include <memory>
#include <string>

namespace caisson::docker {

class json_lines;

/// Of one line of GET /events, of a container or an image; nothing if it is none.
std::optional<container_event> container_event_from(const boost::json::object& json);

/// GET /events of containers, or of another `type`, with each of `labels`, followed for as long as run() goes on: over engine restarts too,
/// from where it was cut off. Bounded memory: an event is handed on as it comes. The first to come may be older than the feed, by as much
/// as the engine's clock is ahead.
class event_feed {
public:
    /// `take` gets each event; `restored` is called when the feed is there again after it was not (what happened between may
    /// be lost: look at each container); `lost` when it broke or could not begin, with why: once until it is restored. Each of these is
    /// set. `begun` is called each time that the feed is there, and may be not set.
    struct listener {
        std::function<void(const container_event&)> take;
        std::function<void()> restored;
        std::function<void(const error&)> lost;
        std::function<void()> begun = {};
    };

    event_feed(engine& on, timers& time, std::vector<std::string> labels, listener to, std::string type = "container");
    /// From now on, until it is cancelled. Reconnects 100 ms to 5 s apart.
    task<> run();
    /// The same with what the engine still knows of before. Of Docker that are the last 256 events of all its containers.
    task<> run_from_the_past();

private:
    std::string target() const;
    task<error> follow_once();
    task<> follow();
    result<void> take(json_lines* cut, std::string_view bytes);

    engine& engine_;
    timers& time_;
    std::vector<std::string> labels_;
    listener to_;
    std::string type_;
    std::int64_t since_ns_ = 0;    // by the engine's clock
    bool lost_ = false;
};

}    // namespace caisson::docker
