#pragma once

#include "core/protocol/frame.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace caisson::protocol {

/// The server's account of one output stream: what was received and acknowledged, and where bytes are missing. Holds no bytes.
class received_stream {
public:
    /// The bytes before `committed` were received and acknowledged by an earlier server or link.
    explicit received_stream(std::uint64_t committed) : received_(committed), acknowledged_(committed), told_(committed) { }

    /// The next byte's offset.
    std::uint64_t received() const { return received_; }
    std::uint64_t acknowledged() const { return acknowledged_; }

    /// The stream continues at `offset`. Returns how many bytes before it are lost; 0 for a repeat. Nothing if the agent broke the
    /// protocol: the stream has ended, or an earlier gap is not yet acknowledged, and an agent drops only acknowledged bytes.
    std::optional<std::uint64_t> skip_to(std::uint64_t offset);
    /// Receives `bytes`, which begin at `offset`, at most received(). Returns the new part, which ends at received(); empty for a repeat.
    /// Nothing if the agent broke the protocol: the stream has ended, or the agent sends more unacknowledged bytes than it can hold.
    std::optional<std::string_view> take(std::uint64_t offset, std::string_view bytes);
    /// The stream ends here. True for the first call.
    bool finish();

    /// The bytes before `end` are safe. Ignores bytes that were not received.
    void acknowledge(std::uint64_t end);
    /// The end to be sent in ACK, if it advanced since the last call or restart().
    std::optional<std::uint64_t> take_acknowledgement();
    /// A new connection: RESUME tells the agent what is acknowledged.
    void restart() { told_ = acknowledged_; }

private:
    /// Bytes received, without gaps, and not acknowledged.
    std::uint64_t held() const;

    std::uint64_t received_;
    std::uint64_t acknowledged_;
    std::uint64_t told_;           // `acknowledged_` as last sent on this connection
    std::uint64_t gap_ = 0;        // size of the latest gap
    std::uint64_t gap_end_ = 0;    // end of the latest gap
    bool ended_ = false;
};

}    // namespace caisson::protocol
