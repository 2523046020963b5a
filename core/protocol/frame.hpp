#pragma once

#include "core/protocol/types.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// The frames between server and agent. Uses the standard library only, because the agent is built from it too.
///
///   connection : marker, HELLO, frames…            in each direction; bytes before a marker are dropped
///   frame      : u32 length | u8 type | u64 exec | body | 0  little endian; length counts what follows it, at most 256 KiB
///   text       : u32 length | bytes
///   …bytes     : the rest of the body, at most max_chunk_bytes
///
/// A stream may outlive a peer that died in the middle of a frame; the next peer's marker follows at once. No frame contains
/// the marker's first half, so a marker is found anywhere. The marker has no byte 0, so a cut frame that a marker's first bytes seem
/// to complete is recognized by its last byte.
///
///   HELLO      1  both     u32 version, u64 epoch, u64 nonce, u64 lease_ms, text instance; the agent's answer repeats the
///                          nonce, with its own epoch, lease 0 and no instance
///   RESUME    16  server   u64 stdout committed, u64 stderr committed, u64 stdin taken; answered by STATE, then all later frames
///   SPAWN     17  server   u32 offset, u32 total, u8 descriptors, …bytes: a part of an encoded spawn_request (messages.hpp)
///   FILE      18  server   u32 mode, u64 offset, u8 last, text path, …bytes; offset 0 creates the file
///   STDIN     19  server   u64 offset, …bytes
///   STDIN_EOF 20  server   u64 end
///   ACK       21  server   u8 stream, u64 end: the bytes before it are safe
///   SIGNAL    22  server   u32 number, u8 target (0 leader, 1 group, 2 all of the sandbox), u64 order: counts an execution's
///                          signals from 1, across servers; the agent ignores an order that it has taken before
///   RESIZE    23  server   u16 columns, u16 rows
///   FORGET    24  server   nothing; answered by FORGOTTEN, also for an unknown execution
///   SHUTDOWN  25  server   nothing; exec is 0
///   PING      26  server   nothing; exec is 0; proves that the server lives, on streams that never end
///   PARK      27  server   …bytes: an encoded park_request (spawn_codec.cpp); exec is the only execution that may use the parked program
///                          or child, 0: the first one started; answered by PARKED, also on failure
///   STATE     32  agent    u8 phase, u64 stdout base, u64 stdout end, u64 stderr base, u64 stderr end, u64 stdin taken,
///                          u64 stdin limit; phase 0: the execution is unknown to the agent
///   STARTED   33  agent    i32 pid, u64 CLOCK_MONOTONIC in ns; u8 1 follows if a parked program was used, but not for a
///                          bare child
///   OUTPUT    34  agent    u8 stream, u64 offset, …bytes
///   EOF       35  agent    u8 stream, u64 end
///   STDIN_ACK 36  agent    u64 taken, u64 limit: bytes before `taken` are held or delivered, those before `limit` may be sent
///   EXITED    37  agent    i32 wait status, u8 cause, u64 user us, u64 system us, u64 max rss bytes, u64 wall us
///   ERROR     38  agent    i32 errno, text step: nothing was started
///   FORGOTTEN 39  agent    nothing
///   ORDERS    40  agent    u64 order of the last signal taken, u8 the end of stdin is known; after each STATE and change
///   PARKED    41  agent    i32 errno, text step; exec is 0; errno 0: it is parked
///
/// Descriptors (SCM_RIGHTS) ride on the first byte of the SPAWN part or the PARK that counts them. The agent sends nothing about an
/// execution before its SPAWN or RESUME on this connection. Under a pseudo terminal stderr is at EOF from the start.
///
/// Versions: a sandbox may outlive an upgrade of the server. Version 1 has no ORDERS and no order in SIGNAL. Version 2 has no PARK.
/// Version 3 parks programs only, no bare child; they join their groups at SPAWN and serve the first execution: exec and descriptors
/// of PARK are 0. The agent accepts each version up to its own and answers in the server's. The server falls back to the version that
/// an older agent names.
namespace caisson::protocol {

inline constexpr std::uint32_t protocol_version = 4;
inline constexpr std::uint32_t oldest_version = 1;    // still supported by both ends
inline constexpr std::uint32_t first_with_orders = 2;
inline constexpr std::uint32_t first_with_parking = 3;
inline constexpr std::uint32_t first_with_joined_parking = 4;
inline constexpr std::size_t max_frame_bytes = 256 * 1024;    // maximum of a frame's length field
inline constexpr std::size_t frame_head_bytes = 4 + 1 + 8;
inline constexpr char frame_end = '\0';
inline constexpr std::size_t max_chunk_bytes = max_frame_bytes - 8 * 1024;    // of OUTPUT, STDIN, FILE and SPAWN
inline constexpr std::size_t max_spawn_bytes = 1024 * 1024;                   // an encoded spawn_request
inline constexpr std::size_t max_spawn_descriptors = 16;
inline constexpr std::size_t max_path_bytes = 4096;
inline constexpr std::uint64_t stream_window_bytes = 1024 * 1024;
inline constexpr exec_number max_exec_number = (exec_number{1} << 56) - 1;

/// Opens a connection. See chunk_length().
inline constexpr std::string_view open_marker{"\xff\xc5"
                                              "caisson-link"
                                              "\xc5\xff",
    16};

enum class frame_type : std::uint8_t {
    hello = 1,
    resume = 16,
    spawn,
    file,
    stdin_data,
    stdin_eof,
    ack,
    signal,
    resize,
    forget,
    shutdown,
    ping,
    park,
    state = 32,
    started,
    output,
    eof,
    stdin_ack,
    exited,
    error,
    forgotten,
    orders,
    parked,
};

/// One frame as it lies in a buffer.
struct frame_view {
    frame_type type = frame_type::ping;
    exec_number exec = 0;
    std::string_view body;
};

/// Length of the prefix of `bytes`, at most `max`, that may go into one frame. It ends within the first occurrence of the marker's
/// first half, so that no frame contains that half. At least 1 unless `bytes` is empty.
std::size_t chunk_length(std::string_view bytes, std::size_t max = max_chunk_bytes);

/// Whether `text`, which cannot be split (a path), may be part of a frame: at most `max` bytes, without the marker's first half.
bool fits_frame(std::string_view text, std::size_t max);

/// Appends one frame to a string. Call finish() or finish_front() at the end.
class frame_writer {
public:
    frame_writer(std::string& out, frame_type type, exec_number exec);
    frame_writer& u8(std::uint8_t value) { return number(value, 1); }
    frame_writer& u16(std::uint16_t value) { return number(value, 2); }
    frame_writer& u32(std::uint32_t value) { return number(value, 4); }
    frame_writer& u64(std::uint64_t value) { return number(value, 8); }
    frame_writer& text(std::string_view value);
    frame_writer& bytes(std::string_view value);
    void finish();
    /// Finishes the frame's front only: the caller sends `following` more bytes and frame_end after it.
    void finish_front(std::size_t following);

private:
    frame_writer& number(std::uint64_t value, int width);
    std::string& out_;
    std::size_t start_;
};

/// Reads fields from the front of a body. After a failure ok() is false and all reads return zero or empty.
class field_reader {
public:
    explicit field_reader(std::string_view body) : rest_(body) { }
    std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
    std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    std::uint64_t u64() { return number(8); }
    std::string_view text(std::size_t max);
    std::string_view rest(std::size_t max);
    void fail() { ok_ = false; }
    bool ok() const { return ok_; }
    bool at_end() const { return rest_.empty(); }
    /// ok(), and no bytes are left.
    bool complete() const { return ok_ && rest_.empty(); }

private:
    std::uint64_t number(int width);
    std::string_view rest_;
    bool ok_ = true;
};

void append_number(std::string& out, std::uint64_t value, int width);
void append_text(std::string& out, std::string_view text);

}    // namespace caisson::protocol
