#include "core/protocol/messages.hpp"

#include <utility>

namespace caisson::protocol {

namespace {

constexpr std::size_t max_instance_bytes = 256;
constexpr std::uint64_t number_bound = std::uint64_t{1} << 56;
constexpr std::size_t max_step_bytes = max_path_bytes + 64;

std::uint8_t raw(stream_number stream) { return static_cast<std::uint8_t>(stream); }

stream_number stream_of(field_reader& in)
{
    const auto value = in.u8();
    if (value != 1 && value != 2)
        in.fail();
    return value == 2 ? stream_number::stderr_stream : stream_number::stdout_stream;
}

template <class T>
T enum_of(field_reader& in, T last)
{
    const auto value = in.u8();
    if (value > static_cast<std::uint8_t>(last))
        in.fail();
    return static_cast<T>(in.ok() ? value : 0);
}

bool flag_of(field_reader& in)
{
    const auto value = in.u8();
    if (value > 1)
        in.fail();
    return value == 1;
}

/// Reads a number that may be echoed to the peer: a stream offset, a signal's order. Its last byte must be 0: an echoed number
/// then never forms the marker's first half, and sums of offsets and sizes stay in range.
std::uint64_t counted(field_reader& in)
{
    const auto value = in.u64();
    if (value >= number_bound)
        in.fail();
    return value;
}

std::uint32_t raw(std::int32_t value) { return static_cast<std::uint32_t>(value); }

}    // namespace

void encode_frame(std::string& out, const hello& what)
{
    frame_writer frame(out, frame_type::hello, 0);
    frame.u32(what.version).u64(what.epoch).u64(what.nonce).u64(what.lease_ms).text(what.instance.substr(0, max_instance_bytes)).finish();
}

void encode_frame(std::string& out, exec_number exec, const resume_point& what)
{
    frame_writer(out, frame_type::resume, exec).u64(what.stdout_committed).u64(what.stderr_committed).u64(what.stdin_sent).finish();
}

void encode_frame(std::string& out, exec_number exec, const spawn_chunk& what)
{
    frame_writer(out, frame_type::spawn, exec).u32(what.offset).u32(what.total).u8(what.descriptors).finish_front(what.bytes.size());
}

void encode_frame(std::string& out, exec_number exec, const file_chunk& what)
{
    frame_writer frame(out, frame_type::file, exec);
    frame.u32(what.mode).u64(what.offset).u8(what.last).text(what.path).finish_front(what.bytes.size());
}

void encode_frame(std::string& out, exec_number exec, const stdin_chunk& what)
{
    frame_writer(out, frame_type::stdin_data, exec).u64(what.offset).finish_front(what.bytes.size());
}

void encode_frame(std::string& out, exec_number exec, const stdin_end& what)
{
    frame_writer(out, frame_type::stdin_eof, exec).u64(what.end).finish();
}

void encode_frame(std::string& out, exec_number exec, const acknowledgement& what)
{
    frame_writer(out, frame_type::ack, exec).u8(raw(what.stream)).u64(what.end).finish();
}

void encode_frame(std::string& out, exec_number exec, const signal_order& what)
{
    frame_writer frame(out, frame_type::signal, exec);
    frame.u32(what.number).u8(what.everyone ? 2 : what.group ? 1 : 0);
    if (what.order != 0)
        frame.u64(what.order);
    frame.finish();
}

void encode_frame(std::string& out, exec_number exec, const resize_order& what)
{
    frame_writer(out, frame_type::resize, exec).u16(what.cols).u16(what.rows).finish();
}

void encode_frame(std::string& out, exec_number exec, const exec_state& what)
{
    frame_writer frame(out, frame_type::state, exec);
    frame.u8(static_cast<std::uint8_t>(what.phase)).u64(what.stdout_base).u64(what.stdout_end).u64(what.stderr_base);
    frame.u64(what.stderr_end).u64(what.stdin_taken).u64(what.stdin_limit).finish();
}

void encode_frame(std::string& out, exec_number exec, const started& what)
{
    frame_writer frame(out, frame_type::started, exec);
    frame.u32(raw(what.pid)).u64(what.monotonic_ns);
    if (what.was_parked)
        frame.u8(1);
    frame.finish();
}

void encode_frame(std::string& out, exec_number exec, const output_chunk& what)
{
    frame_writer(out, frame_type::output, exec).u8(raw(what.stream)).u64(what.offset).finish_front(what.bytes.size());
}

void encode_frame(std::string& out, exec_number exec, const stream_end& what)
{
    frame_writer(out, frame_type::eof, exec).u8(raw(what.stream)).u64(what.end).finish();
}

void encode_frame(std::string& out, exec_number exec, const stdin_ack& what)
{
    frame_writer(out, frame_type::stdin_ack, exec).u64(what.taken).u64(what.limit).finish();
}

void encode_frame(std::string& out, exec_number exec, const exit_report& what)
{
    frame_writer frame(out, frame_type::exited, exec);
    frame.u32(raw(std::int32_t{what.wait_status})).u8(static_cast<std::uint8_t>(what.cause));
    frame.u64(what.user_us).u64(what.system_us).u64(what.max_rss_bytes).u64(what.wall_us).finish();
}

void encode_frame(std::string& out, exec_number exec, const start_error& what)
{
    frame_writer(out, frame_type::error, exec).u32(raw(what.code)).text(what.step.substr(0, max_step_bytes)).finish();
}

void encode_frame(std::string& out, exec_number exec, const orders_taken& what)
{
    frame_writer(out, frame_type::orders, exec).u64(what.signals).u8(what.stdin_ended).finish();
}

void encode_frame(std::string& out, const parked& what)
{
    frame_writer(out, frame_type::parked, 0).u32(raw(what.code)).text(what.step.substr(0, max_step_bytes)).finish();
}

void encode_bare_frame(std::string& out, frame_type type, exec_number exec) { frame_writer(out, type, exec).finish(); }

bool decode(std::string_view body, hello& out)
{
    field_reader in(body);
    out = {in.u32(), in.u64(), in.u64(), in.u64(), in.text(max_instance_bytes)};
    return in.complete();
}

bool decode(std::string_view body, resume_point& out)
{
    field_reader in(body);
    out = {counted(in), counted(in), counted(in)};
    return in.complete();
}

bool decode(std::string_view body, spawn_chunk& out)
{
    field_reader in(body);
    out = {in.u32(), in.u32(), in.u8(), in.rest(max_chunk_bytes)};
    return in.complete() && out.total <= max_spawn_bytes && out.offset <= out.total && out.bytes.size() <= out.total - out.offset;
}

bool decode(std::string_view body, file_chunk& out)
{
    field_reader in(body);
    out.mode = in.u32();
    out.offset = counted(in);
    out.last = flag_of(in);
    out.path = in.text(max_path_bytes);
    out.bytes = in.rest(max_chunk_bytes);
    return in.complete();
}

bool decode(std::string_view body, stdin_chunk& out)
{
    field_reader in(body);
    out = {counted(in), in.rest(max_chunk_bytes)};
    return in.complete();
}

bool decode(std::string_view body, stdin_end& out)
{
    field_reader in(body);
    out.end = counted(in);
    return in.complete();
}

bool decode(std::string_view body, acknowledgement& out)
{
    field_reader in(body);
    out.stream = stream_of(in);
    out.end = counted(in);
    return in.complete();
}

bool decode(std::string_view body, signal_order& out)
{
    field_reader in(body);
    out.number = in.u32();
    const auto target = in.u8();
    if (target > 2)
        in.fail();
    out.group = target == 1;
    out.everyone = target == 2;
    out.order = in.at_end() ? 0 : counted(in);
    return in.complete();
}

bool decode(std::string_view body, resize_order& out)
{
    field_reader in(body);
    out = {in.u16(), in.u16()};
    return in.complete();
}

bool decode(std::string_view body, exec_state& out)
{
    field_reader in(body);
    out.phase = enum_of(in, exec_phase::failed);
    out.stdout_base = counted(in);
    out.stdout_end = counted(in);
    out.stderr_base = counted(in);
    out.stderr_end = counted(in);
    out.stdin_taken = counted(in);
    out.stdin_limit = counted(in);
    return in.complete() && out.stdout_base <= out.stdout_end && out.stderr_base <= out.stderr_end && out.stdin_taken <= out.stdin_limit;
}

bool decode(std::string_view body, started& out)
{
    field_reader in(body);
    out.pid = static_cast<std::int32_t>(in.u32());
    out.monotonic_ns = in.u64();
    out.was_parked = !in.at_end();
    if (out.was_parked && in.u8() != 1)
        in.fail();
    return in.complete();
}

bool decode(std::string_view body, output_chunk& out)
{
    field_reader in(body);
    out.stream = stream_of(in);
    out.offset = counted(in);
    out.bytes = in.rest(max_chunk_bytes);
    return in.complete();
}

bool decode(std::string_view body, stream_end& out)
{
    field_reader in(body);
    out.stream = stream_of(in);
    out.end = counted(in);
    return in.complete();
}

bool decode(std::string_view body, stdin_ack& out)
{
    field_reader in(body);
    out = {counted(in), counted(in)};
    return in.complete() && out.taken <= out.limit;
}

bool decode(std::string_view body, exit_report& out)
{
    field_reader in(body);
    out.wait_status = static_cast<std::int32_t>(in.u32());
    out.cause = enum_of(in, exit_cause::shutdown);
    out.user_us = in.u64();
    out.system_us = in.u64();
    out.max_rss_bytes = in.u64();
    out.wall_us = in.u64();
    return in.complete();
}

bool decode(std::string_view body, start_error& out)
{
    field_reader in(body);
    out.code = static_cast<std::int32_t>(in.u32());
    out.step = in.text(max_step_bytes);
    return in.complete();
}

bool decode(std::string_view body, parked& out)
{
    field_reader in(body);
    out.code = static_cast<std::int32_t>(in.u32());
    out.step = in.text(max_step_bytes);
    return in.complete();
}

bool decode(std::string_view body, orders_taken& out)
{
    field_reader in(body);
    out.signals = counted(in);
    out.stdin_ended = flag_of(in);
    return in.complete();
}

}    // namespace caisson::protocol
