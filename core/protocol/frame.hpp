#pragma once

#include "core/protocol/types.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// The frames between server and agent. Needs no more than the standard library: the agent is built from it too.
///
///   connection : marker, HELLO, frames…            in each direction; everything before a marker is dropped
///   frame      : u32 length | u8 type | u64 exec | body | 0  little endian; length counts what follows it, at most 256 KiB
///   text       : u32 length | bytes
///   …bytes     : the rest of the body, at most max_chunk_bytes
///
/// A stream may outlive a peer that died in the middle of a frame; the next peer's marker follows at once. No frame contains
/// the marker's first half, and the marker has no byte 0: so a marker is found wherever it is, and a frame that a marker's
/// first bytes seem to complete gives itself away by its last byte.
///
///   HELLO      1  both     u32 version, u64 epoch, u64 nonce, u64 lease_ms, text instance; the agent's answer repeats the
///                          nonce, with its own epoch, lease 0 and no instance
///   RESUME    16  server   u64 stdout committed, u64 stderr committed, u64 stdin taken; answered by STATE, then what follows
///   SPAWN     17  server   u32 offset, u32 total, u8 descriptors, …bytes: a part of an encoded spawn_request (messages.hpp)
///   FILE      18  server   u32 mode, u64 offset, u8 last, text path, …bytes; offset 0 makes the file anew
///   STDIN     19  server   u64 offset, …bytes
///   STDIN_EOF 20  server   u64 end
///   ACK       21  server   u8 stream, u64 end: the bytes before it are safe
///   SIGNAL    22  server   u32 number, u8 target (0 leader, 1 group, 2 all of the sandbox), u64 order: counts an execution's
///                          signals from 1, over all its servers; what the agent had before is not done again
///   RESIZE    23  server   u16 columns, u16 rows
///   FORGET    24  server   nothing; answered by FORGOTTEN, also for an unknown execution
///   SHUTDOWN  25  server   nothing; exec is 0
///   PING      26  server   nothing; exec is 0; shows an agent whose stream has no end that the server is there
///   PARK      27  server   …bytes: an encoded park_request (spawn_codec.cpp); exec is the number of the only execution that may take what
///                          waits, 0: whichever is started first; answered by PARKED, also when nothing came of it
///   STATE     32  agent    u8 phase, u64 stdout base, u64 stdout end, u64 stderr base, u64 stderr end, u64 stdin taken,
///                          u64 stdin limit; phase 0: the agent never heard of this execution
///   STARTED   33  agent    i32 pid, u64 CLOCK_MONOTONIC in ns; u8 1 follows if the program had been parked, in the
///                          middle of its own start: of a bare child it is not said
///   OUTPUT    34  agent    u8 stream, u64 offset, …bytes
///   EOF       35  agent    u8 stream, u64 end
///   STDIN_ACK 36  agent    u64 taken, u64 limit: bytes before `taken` are held or delivered, those before `limit` may be sent
///   EXITED    37  agent    i32 wait status, u8 cause, u64 user us, u64 system us, u64 max rss bytes, u64 wall us
///   ERROR     38  agent    i32 errno, text step: nothing was started
///   FORGOTTEN 39  agent    nothing
///   ORDERS    40  agent    u64 order of the last signal taken, u8 the end of stdin is known; after each STATE and change
///   PARKED    41  agent    i32 errno, text step; exec is 0; errno 0: the program waits
///
/// Descriptors (SCM_RIGHTS) ride on the first byte of the SPAWN part or the PARK that counts them. The agent says nothing of an
/// execution before its SPAWN or RESUME on this connection. Under a pseudo terminal stderr is at EOF from the start.
///
/// Versions: a sandbox may outlive an upgrade of the server. Version 1 has no ORDERS and no order in SIGNAL, version 2 no PARK.
/// In version 3 what waits is never a bare child, joins its groups at SPAWN only, and serves the first execution: exec and descriptors of
/// PARK are 0. The agent obeys each version up to its own and answers in the server's; the server goes down to the one that an older agent
/// names.
namespace caisson::protocol {

inline constexpr std::uint32_t protocol_version = 4;
inline constexpr std::uint32_t oldest_version = 1;    // that both ends still speak
inline constexpr std::uint32_t first_with_orders = 2;
inline constexpr std::uint32_t first_with_parking = 3;
inline constexpr std::uint32_t first_with_joined_parking = 4;
inline constexpr std::size_t max_frame_bytes = 256 * 1024;    // what the length counts
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

/// How much of the front of `bytes`, at most `max`, may go into one frame: the cut falls into each occurrence of the
/// marker's first half, so that frames never contain it. At least 1 unless there is nothing.
std::size_t chunk_length(std::string_view bytes, std::size_t max = max_chunk_bytes);

/// True if `text` may be part of a frame that cannot be cut, such as a path.
bool fits_frame(std::string_view text, std::size_t max);

/// Appends one frame to a text. finish() or finish_front() must be called.
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
    /// What the text has is the frame's front: `following` bytes, sent by the caller, and frame_end come after it.
    void finish_front(std::size_t following);

private:
    frame_writer& number(std::uint64_t value, int width);
    std::string& out_;
    std::size_t start_;
};

/// Takes fields off the front of a body. After a failure all reads give zero and ok() is false.
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
    /// ok(), and nothing is left over.
    bool complete() const { return ok_ && rest_.empty(); }

private:
    std::uint64_t number(int width);
    std::string_view rest_;
    bool ok_ = true;
};

void append_number(std::string& out, std::uint64_t value, int width);
void append_text(std::string& out, std::string_view text);

}    // namespace caisson::protocol
