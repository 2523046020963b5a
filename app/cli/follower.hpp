#pragma once

#include "app/cli/api_client.hpp"
#include "app/cli/frame_reader.hpp"
#include "app/cli/reconnect_policy.hpp"

#include <memory>
#include <string>

namespace caisson::cli {

/// Receives the output of an execution.
class output_sink {
public:
    virtual ~output_sink() = default;
    /// False if nobody reads the output any more: the follower then stops.
    virtual task<bool> write(frame_effects effects) = 0;
};

/// Follows one execution's stream from its beginning to its end, and reconnects as needed. I/O thread only.
class follower {
public:
    /// All references must outlive it.
    follower(api_client& api, timers& time, std::string execution_id, output_sink& sink);

    /// Returns the exit event. Cancelling it only stops the following. Errors: errc::runtime_unavailable if the server stayed away too
    /// long, errc::cancelled if the sink is closed, and the server's refusal.
    task<result<boost::json::object>> to_the_end();

    /// Sends a client frame on the current connection; without one the frame is lost.
    void send(std::string frame);

private:
    task<result<void>> connect_and_read();
    task<result<void>> take(std::string text);
    error gone(const error& last) const;

    api_client& api_;
    timers& time_;
    std::string id_;
    output_sink& sink_;
    frame_reader reader_;
    reconnect_policy policy_;
    std::unique_ptr<net::websocket> socket_;
    std::string refused_;    // message of the server's last error frame
};

}    // namespace caisson::cli
