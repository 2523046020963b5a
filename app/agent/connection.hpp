#pragma once

#include "app/agent/poller.hpp"
#include "core/protocol/frame_decoder.hpp"

#include <string>
#include <vector>

namespace caisson::agent {

/// One byte stream to a server: a socket, or a pair of pipes that outlives its servers.
class connection {
public:
    enum class kind { socket, stdio };

    /// `out` is none where `in` goes both ways.
    connection(kind which, unique_fd in, unique_fd out);

    bool is_stdio() const { return kind_ == kind::stdio; }
    protocol::frame_decoder& decoder() { return decoder_; }
    /// True between a marker and the HELLO that has to follow it.
    bool greeting = false;

    /// Reads once; false at the end or when it is broken.
    bool read();
    /// Descriptors that came with what was read.
    std::vector<unique_fd> take_descriptors() { return std::exchange(descriptors_, {}); }

    /// Where to append what is to be sent; drop_output() forgets what was not.
    std::string& output() { return output_; }
    void drop_output();
    bool has_output() const { return written_ < output_.size(); }
    /// Writes what it can; false when it is broken.
    bool flush();
    /// Gives memory back while nothing happens.
    void rest();

    /// Watches for input, and for room while there is output.
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
