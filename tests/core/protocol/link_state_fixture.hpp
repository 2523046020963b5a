#pragma once

#include "core/protocol/link_state.hpp"
#include "tests/core/protocol/frames.hpp"
#include "tests/core/protocol/recording_sink.hpp"

namespace caisson::protocol {

/// A frame of the server with what matters of it.
inline std::string word_of(const kept_frame& frame)
{
    const auto number = std::to_string(frame.exec);
    switch (frame.type) {
    case frame_type::resume: {
        const auto at = frame.as<resume_point>();
        return "RESUME" + number + "(" + std::to_string(at.stdout_committed) + "," + std::to_string(at.stderr_committed) + "," +
               std::to_string(at.stdin_sent) + ")";
    }
    case frame_type::spawn: return "SPAWN" + number + "(" + std::to_string(frame.as<spawn_chunk>().offset) + ")";
    case frame_type::file:
        return "FILE" + number + "(" + std::string(frame.as<file_chunk>().path) + "," + std::to_string(frame.as<file_chunk>().offset) +
               (frame.as<file_chunk>().last ? ",last)" : ")");
    case frame_type::stdin_data:
        return "STDIN" + number + "(" + std::to_string(frame.as<stdin_chunk>().offset) + "," +
               std::string(frame.as<stdin_chunk>().bytes.substr(0, 10)) + ")";
    case frame_type::stdin_eof: return "STDIN_EOF" + number + "(" + std::to_string(frame.as<stdin_end>().end) + ")";
    case frame_type::ack:
        return "ACK" + number + "(" + std::to_string(static_cast<int>(frame.as<acknowledgement>().stream)) + "," +
               std::to_string(frame.as<acknowledgement>().end) + ")";
    case frame_type::signal: return "SIGNAL" + number + "(" + std::to_string(frame.as<signal_order>().number) + ")";
    case frame_type::resize: return "RESIZE" + number;
    case frame_type::forget: return "FORGET" + number;
    case frame_type::shutdown: return "SHUTDOWN";
    case frame_type::ping: return "PING";
    case frame_type::park: return "PARK";
    default: return "?";
    }
}

class LinkState : public ::testing::Test {
protected:
    LinkState() { state.connected(true); }

    /// One write's frames, one word each.
    std::string batch()
    {
        frame_batch batch;
        if (!state.fill(batch))
            return "";
        std::string bytes;
        for (const auto part : batch.parts())
            bytes += part;
        descriptors = batch.descriptors().size();
        std::string out;
        for (const auto& each : frames_of(bytes))
            out += (out.empty() ? "" : " ") + word_of(each);
        return out;
    }
    template <class T>
    bool hear(exec_number number, const T& what)
    {
        return state.on_frame(made(number, what).view());
    }
    bool output(exec_number number, std::uint64_t offset, std::string_view bytes)
    {
        return hear(number, output_chunk{stream_number::stdout_stream, offset, bytes});
    }
    static spawn_request simple(bool stdin_open = false)
    {
        spawn_request request;
        request.argv = {"true"};
        request.stdin_open = stdin_open;
        return request;
    }
    static shared_bytes bytes(std::string text) { return shared_bytes(std::move(text)); }
    void attach(exec_number number = 1) { state.attach(number, sink, std::nullopt); }
    link_execution& at(exec_number number) { return *state.find(number); }
    void spawned(bool stdin_open = true)
    {
        attach();
        at(1).spawn(simple(stdin_open), nullptr);
        batch();
        hear(1, started{10, 1});
    }

    link_state state;
    recording_sink sink;
    std::size_t descriptors = 0;
};

}    // namespace caisson::protocol
