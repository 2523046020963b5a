#include "core/protocol/messages.hpp"

namespace caisson::protocol {

namespace {

constexpr std::uint32_t max_rlimits = 32;
constexpr std::size_t max_filter_bytes = 4096 * 8;    // BPF_MAXINSNS of 8 bytes

/// Each text takes at least four bytes, so a false count fails at the end of the input.
bool decode_texts(field_reader& in, std::vector<std::string>& out)
{
    const auto count = in.u32();
    for (std::uint32_t i = 0; i < count && in.ok(); ++i)
        out.emplace_back(in.text(max_spawn_bytes));
    return in.ok();
}

bool decode_env(field_reader& in, std::vector<std::pair<std::string, std::string>>& out)
{
    const auto count = in.u32();
    for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
        const auto name = in.text(max_spawn_bytes);
        const auto value = in.text(max_spawn_bytes);
        out.emplace_back(name, value);
    }
    return in.ok();
}

bool decode_rlimits(field_reader& in, std::vector<spawn_request::limit>& out)
{
    const auto count = in.u32();
    if (count > max_rlimits)
        return false;
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto resource = in.u32();
        out.push_back({resource, in.u64()});
    }
    return in.ok();
}

void append_pairs(std::string& out, const std::vector<std::pair<std::string, std::string>>& pairs)
{
    append_number(out, pairs.size(), 4);
    for (const auto& [name, value] : pairs) {
        append_text(out, name);
        append_text(out, value);
    }
}

void append_texts(std::string& out, const std::vector<std::string>& texts)
{
    append_number(out, texts.size(), 4);
    for (const auto& each : texts)
        append_text(out, each);
}

}    // namespace

std::string encode_spawn(const spawn_request& request)
{
    std::string out;
    append_texts(out, request.argv);
    append_pairs(out, request.env);
    append_text(out, request.cwd);
    const auto size = request.pty.value_or(spawn_request::size{0, 0});
    append_number(out, request.pty.has_value(), 1);
    append_number(out, size.cols, 2);
    append_number(out, size.rows, 2);
    append_number(out, request.rlimits.size(), 4);
    for (const auto& each : request.rlimits) {
        append_number(out, each.resource, 4);
        append_number(out, each.value, 8);
    }
    append_number(out, request.wall_ms, 8);
    append_text(out, request.seccomp_filter);
    return out;
}

namespace {

/// Empty argv is allowed: a bare child gets only a filter and limits.
bool decode_program(std::string_view bytes, spawn_request& out)
{
    field_reader in(bytes);
    out = {};
    if (!decode_texts(in, out.argv) || !decode_env(in, out.env))
        return false;
    out.cwd = in.text(max_path_bytes);
    const bool pty = in.u8() != 0;
    const auto cols = in.u16();
    const auto rows = in.u16();
    if (pty)
        out.pty = spawn_request::size{cols, rows};
    if (!decode_rlimits(in, out.rlimits))
        return false;
    out.wall_ms = in.u64();
    out.seccomp_filter = in.text(max_filter_bytes);
    return in.complete() && out.seccomp_filter.size() % 8 == 0;
}

}    // namespace

bool decode_spawn(std::string_view bytes, spawn_request& out) { return decode_program(bytes, out) && !out.argv.empty(); }

/// Body: text program, which may be empty for a bare child | text file name | text file content | hooks, as pairs | names of fixed
/// variables | u8 descriptors, unless 0
bool encode_frame(std::string& out, exec_number exec, const park_request& what)
{
    std::string body;
    const bool is_nothing = what.is_bare() && what.program.seccomp_filter.empty() && what.program.rlimits.empty();
    append_text(body, is_nothing ? std::string() : encode_spawn(what.program));
    append_text(body, what.file_name);
    append_text(body, what.file_text);
    append_pairs(body, what.hooks);
    append_texts(body, what.fixed);
    if (what.descriptors != 0)
        append_number(body, what.descriptors, 1);
    if (!fits_frame(body, max_chunk_bytes))
        return false;
    frame_writer(out, frame_type::park, exec).bytes(body).finish();
    return true;
}

bool decode(std::string_view body, park_request& out)
{
    field_reader in(body);
    out = {};
    const auto program = in.text(max_spawn_bytes);
    out.file_name = in.text(max_path_bytes);
    out.file_text = in.text(max_chunk_bytes);
    if (!decode_env(in, out.hooks) || !decode_texts(in, out.fixed))
        return false;
    const bool joins = !in.at_end();
    out.descriptors = joins ? in.u8() : std::uint8_t{0};
    if (joins && (out.descriptors == 0 || out.descriptors > max_spawn_descriptors))
        in.fail();
    return in.complete() && (program.empty() || decode_program(program, out.program));
}

}    // namespace caisson::protocol
