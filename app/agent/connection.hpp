#pragma once

#include "app/agent/poller.hpp"
#include "core/protocol/frame_decoder.hpp"

#include <string>
#include <vector>

namespace caisson::agent {

/// A byte stream to a server: a socket, or a pair of pipes that outlives servers.
class connection {
public:
    enum class kind { socket, stdio };

    /// `out` is empty if `in` is bidirectional.
    connection(kind which, unique_fd in, unique_fd out);

    bool is_stdio() const { return kind_ == kind::stdio; }
    protocol::frame_decoder& decoder() { return decoder_; }
    /// True between a marker and its HELLO.
    bool greeting = false;

    /// Reads once; false at the end or if the connection is broken.
    bool read();
    /// Descriptors received with the input.
    std::vector<unique_fd> take_descriptors() { return std::exchange(descriptors_, {}); }

    /// The send buffer, to append to; drop_output() discards its unsent part.
    std::string& output() { return output_; }
    void drop_output();
    bool has_output() const { return written_ < output_.size(); }
    /// Writes as much as possible; false if the connection is broken.
    bool flush();
    /// Releases buffer memory while idle.
    void rest();

    /// Watches for input and, while there is output, for room.
    bool watch(poller& events, source as);
    void unwatch(poller& events) { events.want(in_, source::link_in, 0, 0); }
    void close(poller& events);

private:
    kind kind_;
    watched_fd in_;
    watched_fd out_;
    protocol::frame_decoder decoder_;
    std::vector<unique_fd> descriptors_;
    std::string output_;
    std::size_t written_ = 0;
};

}    // namespace caisson::agent
