#pragma once

#include "app/cli/api_client.hpp"
#include "app/cli/frame_reader.hpp"
#include "app/cli/reconnect_policy.hpp"

#include <memory>
#include <string>

namespace caisson::cli {

/// Where the output of an execution goes.
class output_sink {
public:
    virtual ~output_sink() = default;
    /// False if nobody reads it any more: then the follower stops.
    virtual task<bool> write(frame_effects effects) = 0;
};

/// Follows one execution's stream from its beginning to its end, over as many connections as it takes. I/O thread only.
class follower {
public:
    /// All that is referred to must outlive it.
    follower(api_client& api, timers& time, std::string execution_id, output_sink& sink);

    /// The exit event. Cancelling it ends the following, nothing else. Errors: errc::runtime_unavailable when the server
    /// stayed away too long, errc::cancelled when the sink is closed, and what the server says when it refuses.
    task<result<boost::json::object>> to_the_end();

    /// Sends a client frame on the present connection; it is lost if there is none.
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
    std::string refused_;    // the server's last error frame
};

}    // namespace caisson::cli
