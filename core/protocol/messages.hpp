#pragma once

#include "core/protocol/frame.hpp"

/// The frames as structs. encode_frame() appends a whole frame; of a frame with `bytes` it appends only the front, and the caller
/// sends the bytes and frame_end after it. decode() returns false for a malformed body; views point into the body.
namespace caisson::protocol {

struct hello {
    std::uint32_t version = protocol_version;
    std::uint64_t epoch = 0;
    std::uint64_t nonce = 0;    // identifies the connection that an answer belongs to
    std::uint64_t lease_ms = 0;
    std::string_view instance = {};
};

/// A part of an encoded spawn_request.
struct spawn_chunk {
    std::uint32_t offset = 0;
    std::uint32_t total = 0;
    std::uint8_t descriptors = 0;
    std::string_view bytes = {};
};

struct file_chunk {
    std::uint32_t mode = 0;
    std::uint64_t offset = 0;
    bool last = false;
    std::string_view path = {};
    std::string_view bytes = {};
};

struct stdin_chunk {
    std::uint64_t offset = 0;
    std::string_view bytes = {};
};

struct stdin_end {
    std::uint64_t end = 0;
};

struct acknowledgement {
    stream_number stream = stream_number::stdout_stream;
    std::uint64_t end = 0;
};

struct signal_order {
    std::uint32_t number = 0;
    bool group = false;         // the leader's process group, not the leader alone
    bool everyone = false;      // all programs of the sandbox, in any process group; SIGKILL only
    std::uint64_t order = 0;    // 0: uncounted, from a server of version 1
};

struct resize_order {
    std::uint16_t cols = 0;
    std::uint16_t rows = 0;
};

enum class exec_phase : std::uint8_t { unknown = 0, running = 1, exited = 2, failed = 3 };

struct exec_state {
    exec_phase phase = exec_phase::unknown;
    std::uint64_t stdout_base = 0;
    std::uint64_t stdout_end = 0;
    std::uint64_t stderr_base = 0;
    std::uint64_t stderr_end = 0;
    std::uint64_t stdin_taken = 0;
    std::uint64_t stdin_limit = 0;
};

struct started {
    std::int32_t pid = 0;
    std::uint64_t monotonic_ns = 0;
    bool was_parked = false;    // false for a bare child; always false for a server below version 3
};

struct output_chunk {
    stream_number stream = stream_number::stdout_stream;
    std::uint64_t offset = 0;
    std::string_view bytes = {};
};

struct stream_end {
    stream_number stream = stream_number::stdout_stream;
    std::uint64_t end = 0;
};

struct stdin_ack {
    std::uint64_t taken = 0;
    std::uint64_t limit = 0;
};

/// What the agent has taken of the orders that servers resend.
struct orders_taken {
    std::uint64_t signals = 0;    // order of the last signal
    bool stdin_ended = false;     // the end of stdin is known
};

struct start_error {
    std::int32_t code = 0;
    std::string_view step = {};
};

/// The outcome of a PARK.
struct parked {
    std::int32_t code = 0;    // errno; 0: parked
    std::string_view step = {};
};

void encode_frame(std::string& out, const hello& what);
void encode_frame(std::string& out, exec_number exec, const resume_point& what);
void encode_frame(std::string& out, exec_number exec, const spawn_chunk& what);
void encode_frame(std::string& out, exec_number exec, const file_chunk& what);
void encode_frame(std::string& out, exec_number exec, const stdin_chunk& what);
void encode_frame(std::string& out, exec_number exec, const stdin_end& what);
void encode_frame(std::string& out, exec_number exec, const acknowledgement& what);
void encode_frame(std::string& out, exec_number exec, const signal_order& what);
void encode_frame(std::string& out, exec_number exec, const resize_order& what);
void encode_frame(std::string& out, exec_number exec, const exec_state& what);
void encode_frame(std::string& out, exec_number exec, const started& what);
void encode_frame(std::string& out, exec_number exec, const output_chunk& what);
void encode_frame(std::string& out, exec_number exec, const stream_end& what);
void encode_frame(std::string& out, exec_number exec, const stdin_ack& what);
void encode_frame(std::string& out, exec_number exec, const exit_report& what);
void encode_frame(std::string& out, exec_number exec, const start_error& what);
void encode_frame(std::string& out, exec_number exec, const orders_taken& what);
void encode_frame(std::string& out, const parked& what);
/// Appends PARK. False, with nothing appended, if the request does not fit into a frame.
bool encode_frame(std::string& out, exec_number exec, const park_request& what);
/// FORGET, FORGOTTEN, SHUTDOWN, PING.
void encode_bare_frame(std::string& out, frame_type type, exec_number exec);

bool decode(std::string_view body, hello& out);
bool decode(std::string_view body, resume_point& out);
bool decode(std::string_view body, spawn_chunk& out);
bool decode(std::string_view body, file_chunk& out);
bool decode(std::string_view body, stdin_chunk& out);
bool decode(std::string_view body, stdin_end& out);
bool decode(std::string_view body, acknowledgement& out);
bool decode(std::string_view body, signal_order& out);
bool decode(std::string_view body, resize_order& out);
bool decode(std::string_view body, exec_state& out);
bool decode(std::string_view body, started& out);
bool decode(std::string_view body, output_chunk& out);
bool decode(std::string_view body, stream_end& out);
bool decode(std::string_view body, stdin_ack& out);
bool decode(std::string_view body, exit_report& out);
bool decode(std::string_view body, start_error& out);
bool decode(std::string_view body, orders_taken& out);
bool decode(std::string_view body, parked& out);
bool decode(std::string_view body, park_request& out);

/// Encodes a spawn_request for SPAWN, without stdin_open: the server sends STDIN_EOF for that.
std::string encode_spawn(const spawn_request& request);
bool decode_spawn(std::string_view bytes, spawn_request& out);

}    // namespace caisson::protocol
