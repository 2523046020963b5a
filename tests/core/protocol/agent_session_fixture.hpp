#pragma once

#include "core/protocol/agent_session.hpp"
#include "tests/core/protocol/frames.hpp"

#include <cerrno>
#include <fcntl.h>

namespace caisson::protocol {
/// Starts nothing; remembers what it was asked.
class fake_host final : public agent_host {
public:
    int fail_start = 0;
    int fail_file = 0;
    std::vector<std::string> asked;
    std::vector<std::vector<unique_fd>> joined;

    start_result start(exec_number number, const spawn_request& request, std::vector<unique_fd> join) override
    {
        asked.push_back("start " + std::to_string(number) + " " + request.argv.at(0));
        joined.push_back(std::move(join));
        return {fail_start, fail_start ? "execve" : "", {100 + static_cast<std::int32_t>(number), 5, was_parked}};
    }
    int put_file(const file_chunk& chunk) override
    {
        asked.push_back("file " + std::string(chunk.path) + " " + std::string(chunk.bytes));
        return fail_file;
    }
    void signal(exec_number number, const signal_order& order) override
    {
        asked.push_back("signal " + std::to_string(number) + " " + std::to_string(order.number) + (order.group ? " group" : " leader"));
    }
    void resize(exec_number number, const resize_order& order) override
    {
        asked.push_back("resize " + std::to_string(number) + " " + std::to_string(order.cols) + "x" + std::to_string(order.rows));
    }
    void forget(exec_number number) override { asked.push_back("forget " + std::to_string(number)); }
    void shutdown() override { asked.push_back("shutdown"); }
    int park(exec_number number, const park_request& request, std::vector<unique_fd> join) override
    {
        asked.push_back("park " + std::to_string(number) + " " +
                        (request.is_bare() ? std::string("bare") : request.program.argv.at(0) + " " + request.file_name));
        joined.push_back(std::move(join));
        return fail_park;
    }
    int fail_park = 0;
    bool was_parked = false;
};

/// One word a frame, with what matters of it.
inline std::string session_word_of(const kept_frame& frame)
{
    const auto number = std::to_string(frame.exec);
    switch (frame.type) {
    case frame_type::hello: return "HELLO(" + std::to_string(frame.as<hello>().epoch) + ")";
    case frame_type::state: {
        const auto state = frame.as<exec_state>();
        return "STATE" + number + "(" + std::to_string(static_cast<int>(state.phase)) + "," + std::to_string(state.stdout_base) + "-" +
               std::to_string(state.stdout_end) + "," + std::to_string(state.stdin_taken) + ")";
    }
    case frame_type::started: return "STARTED" + number;
    case frame_type::output:
        return "OUTPUT" + number + "(" + std::to_string(frame.as<output_chunk>().offset) + "," +
               std::string(frame.as<output_chunk>().bytes) + ")";
    case frame_type::eof:
        return "EOF" + number + "(" + std::to_string(static_cast<int>(frame.as<stream_end>().stream)) + "," +
               std::to_string(frame.as<stream_end>().end) + ")";
    case frame_type::stdin_ack: return "STDIN_ACK" + number + "(" + std::to_string(frame.as<stdin_ack>().taken) + ")";
    case frame_type::exited: return "EXITED" + number;
    case frame_type::error: return "ERROR" + number + "(" + std::string(frame.as<start_error>().step) + ")";
    case frame_type::forgotten: return "FORGOTTEN" + number;
    case frame_type::orders: {
        const auto taken = frame.as<orders_taken>();
        return "ORDERS" + number + "(" + std::to_string(taken.signals) + (taken.stdin_ended ? ",end)" : ")");
    }
    case frame_type::parked: return "PARKED(" + std::to_string(frame.as<parked>().code) + ")";
    default: return "?";
    }
}

inline std::string words(std::string_view frames)
{
    std::string out;
    for (const auto& each : frames_of(frames))
        out += (out.empty() ? "" : " ") + session_word_of(each);
    return out;
}

class AgentSession : public ::testing::Test {
protected:
    AgentSession() { open(1); }

    bool open(std::uint64_t epoch, std::uint32_t version = protocol_version)
    {
        answer.clear();
        return session.open({version, epoch, 77, 1000, "server"}, answer);
    }
    bool hear(const kept_frame& frame) { return session.on_frame(frame.view()); }
    std::string said()
    {
        std::string out;
        session.emit(out, 1 << 20);
        return words(out);
    }
    bool spawn(exec_number number, spawn_request request = simple())
    {
        const auto bytes = encode_spawn(request);
        return hear(made(number, spawn_chunk{0, static_cast<std::uint32_t>(bytes.size()), 0, bytes}));
    }
    static spawn_request simple()
    {
        spawn_request request;
        request.argv = {"true"};
        return request;
    }
    void print(exec_number number, std::string_view bytes)
    {
        auto& window = session.find(number)->output(stream_number::stdout_stream);
        const auto room = window.room();
        bytes.copy(room.data(), bytes.size());
        window.filled(bytes.size());
    }
    void end(exec_number number)
    {
        session.find(number)->output(stream_number::stdout_stream).end();
        session.find(number)->output(stream_number::stderr_stream).end();
        session.find(number)->set_exited({});
    }

    fake_host host;
    agent_session session{host};
    std::string answer;
};

}    // namespace caisson::protocol
