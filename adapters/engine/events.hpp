#pragma once

#include "adapters/engine/container_types.hpp"
#include "adapters/engine/engine.hpp"

#include <functional>
#include <memory>
#include <string>

namespace caisson::docker {

class json_lines;

/// Parses one line of GET /events about a container or an image; nothing if it is not such an event.
std::optional<container_event> container_event_from(const boost::json::object& json);

/// Follows GET /events of containers, or of another `type`, that have each of `labels`, while run() runs. After an engine restart it
/// resumes from the last event. Passes each event on at once, so memory is bounded. The first events may be older than the feed, by as
/// much as the engine's clock is ahead.
class event_feed {
public:
    /// `take` gets each event. `lost` is called with the error, once until restored, when the feed broke or could not start.
    /// `restored` is called when it is back: events may be lost, so inspect each container. These three must be set.
    /// `begun`, which is optional, is called each time the feed connects.
    struct listener {
        std::function<void(const container_event&)> take;
        std::function<void()> restored;
        std::function<void(const error&)> lost;
        std::function<void()> begun = {};
    };

    event_feed(engine& on, timers& time, std::vector<std::string> labels, listener to, std::string type = "container");
    /// Follows events from now on until cancelled. Reconnects after 100 ms to 5 s.
    task<> run();
    /// Like run(), but starts with the past events that the engine still has: Docker keeps the last 256 of all its containers.
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
