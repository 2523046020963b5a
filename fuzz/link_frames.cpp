/// The link between server and agent, with either end hostile. The bytes are frames whatever the pieces they come in; what a
/// peer says changes nothing but what it may; what is said in return is whole frames; each message has one encoding.
#include "core/protocol/agent_session.hpp"
#include "core/protocol/frame_decoder.hpp"
#include "core/protocol/link_state.hpp"
#include "fuzz/fuzz.hpp"

#include <cerrno>
#include <functional>
#include <optional>
#include <string>

namespace caisson::protocol {
namespace {

using markers = frame_decoder::markers;
constexpr std::uint64_t farthest = std::uint64_t{1} << 63;    // beyond every offset that is taken

/// Decodes `bytes`, which come in pieces; false from `each` ends it.
void decode_all(std::string_view bytes, std::uint8_t cuts, markers where, const std::function<bool(decode_status, const frame_view&)>& each)
{
    frame_decoder decoder(cuts == 0 ? 64 * 1024 : 16, where);
    bool going = true;
    fuzz::in_pieces(bytes, cuts, cuts == 0 ? 1 : bytes.size() + 1, [&](std::string_view piece) {
        while (!piece.empty() && going) {
            const auto room = decoder.prepare();
            FUZZ_CHECK(!room.empty());
            const auto count = piece.copy(room.data(), room.size());
            decoder.commit(count);
            piece.remove_prefix(count);
            frame_view frame;
            for (auto status = decoder.next(frame); going && status != decode_status::need_more;
                status = going ? decoder.next(frame) : decode_status::need_more)
                going = each(status, frame);
        }
        return going;
    });
}

/// What one end said: whole frames of its own types, from a frame's border.
void check_said(std::string_view bytes, frame_type first, frame_type last)
{
    std::size_t seen = open_marker.size();
    decode_all(std::string(open_marker) + std::string(bytes), 0, markers::at_start, [&](decode_status status, const frame_view& frame) {
        FUZZ_CHECK(status != decode_status::broken);
        if (status != decode_status::frame)
            return true;
        FUZZ_CHECK(frame.type >= first && frame.type <= last);
        FUZZ_CHECK(frame.body.find(open_marker.substr(0, 8)) == std::string_view::npos);
        seen += frame_head_bytes + frame.body.size() + 1;
        return true;
    });
    FUZZ_CHECK(seen == open_marker.size() + bytes.size());
}

/// A body that is understood is the one that its meaning is encoded as.
template <class T>
void check_one_encoding(const frame_view& frame)
{
    T what;
    if (!decode(frame.body, what))
        return;
    std::string out;
    encode_frame(out, frame.exec, what);
    if constexpr (requires { what.bytes; })
        out.append(what.bytes).push_back(frame_end);
    FUZZ_CHECK(out.size() == frame_head_bytes + frame.body.size() + 1);
    FUZZ_CHECK(
        static_cast<frame_type>(out[4]) == frame.type && std::string_view(out).substr(frame_head_bytes, frame.body.size()) == frame.body);
}

void check_hello(const frame_view& frame)
{
    hello what;
    if (!decode(frame.body, what))
        return;
    std::string out;
    encode_frame(out, what);
    FUZZ_CHECK(std::string_view(out).substr(frame_head_bytes, frame.body.size()) == frame.body);
}

void check_spawn(std::string_view bytes)
{
    spawn_request request;
    if (!decode_spawn(bytes, request))
        return;
    FUZZ_CHECK(!request.argv.empty() && request.seccomp_filter.size() % 8 == 0);
    spawn_request again;
    const auto encoded = encode_spawn(request);
    FUZZ_CHECK(decode_spawn(encoded, again) && encode_spawn(again) == encoded);
    FUZZ_CHECK(again.argv == request.argv && again.env == request.env && again.cwd == request.cwd && again.wall_ms == request.wall_ms);
}

void check_park(const frame_view& frame)
{
    park_request request;
    if (!decode(frame.body, request))
        return;
    std::string out;
    park_request again;
    FUZZ_CHECK(encode_frame(out, frame.exec, request));
    FUZZ_CHECK(decode(std::string_view(out).substr(frame_head_bytes, out.size() - frame_head_bytes - 1), again));
    FUZZ_CHECK(again.program.argv == request.program.argv && again.file_text == request.file_text && again.hooks == request.hooks &&
               again.fixed == request.fixed && again.descriptors == request.descriptors && request.descriptors <= max_spawn_descriptors);
}

void check_parked(std::string_view body)
{
    parked what;
    if (!decode(body, what))
        return;
    std::string out;
    encode_frame(out, what);
    FUZZ_CHECK(std::string_view(out).substr(frame_head_bytes, body.size()) == body);
}

void check_encoding(const frame_view& frame)
{
    switch (frame.type) {
    case frame_type::hello: return check_hello(frame);
    case frame_type::resume: return check_one_encoding<resume_point>(frame);
    case frame_type::spawn: check_spawn(frame.body); return check_one_encoding<spawn_chunk>(frame);
    case frame_type::file: return check_one_encoding<file_chunk>(frame);
    case frame_type::stdin_data: return check_one_encoding<stdin_chunk>(frame);
    case frame_type::stdin_eof: return check_one_encoding<stdin_end>(frame);
    case frame_type::ack: return check_one_encoding<acknowledgement>(frame);
    case frame_type::resize: return check_one_encoding<resize_order>(frame);
    case frame_type::state: return check_one_encoding<exec_state>(frame);
    case frame_type::started: return check_one_encoding<started>(frame);
    case frame_type::output: return check_one_encoding<output_chunk>(frame);
    case frame_type::eof: return check_one_encoding<stream_end>(frame);
    case frame_type::stdin_ack: return check_one_encoding<stdin_ack>(frame);
    case frame_type::exited: return check_one_encoding<exit_report>(frame);
    case frame_type::error: return check_one_encoding<start_error>(frame);
    case frame_type::orders: return check_one_encoding<orders_taken>(frame);
    case frame_type::park: return check_park(frame);
    case frame_type::parked: return check_parked(frame.body);
    default: return;
    }
}

/// Frames do not depend on the pieces, and each means one thing.
void try_decoder(fuzz::input in)
{
    const auto cuts = in.byte();
    const auto where = in.byte() % 2 == 0 ? markers::at_start : markers::anywhere;
    std::string whole;
    std::string cut;
    const auto note = [where](std::string& into, decode_status status, const frame_view& frame) {
        if (status == decode_status::broken && where == markers::anywhere)    // of a frame that a marker cut, half of which may have come
            return true;
        into += static_cast<char>('0' + static_cast<int>(status));
        if (status == decode_status::frame)
            into.append(1, static_cast<char>(frame.type)).append(std::to_string(frame.exec)).append(":").append(frame.body);
        return true;
    };
    decode_all(in.rest(), 0, where, [&](decode_status status, const frame_view& frame) {
        if (status == decode_status::frame)
            check_encoding(frame);
        return note(whole, status, frame);
    });
    decode_all(in.rest(), cuts | 1, where, [&](decode_status status, const frame_view& frame) { return note(cut, status, frame); });
    FUZZ_CHECK(whole == cut);
}

/// What every sink may rely on: each byte once and in order, each end once.
class checking_sink final : public execution_sink {
public:
    explicit checking_sink(resume_point from) : out_{from.stdout_committed}, err_{from.stderr_committed} { }

    void on_started(std::int32_t, std::uint64_t) override { FUZZ_CHECK(!std::exchange(started_, true)); }
    void on_output(stream_number stream, std::uint64_t offset, shared_bytes bytes) override
    {
        auto& at = of(stream);
        FUZZ_CHECK(offset == at.end && !at.ended && !bytes.empty());
        at.end += bytes.size();
        FUZZ_CHECK(at.end < farthest);
    }
    void on_gap(stream_number stream, std::uint64_t offset, std::uint64_t missing) override
    {
        auto& at = of(stream);
        FUZZ_CHECK(offset == at.end && missing > 0 && !at.ended);
        at.end += missing;
        FUZZ_CHECK(at.end < farthest);
    }
    void on_eof(stream_number stream, std::uint64_t end) override
    {
        FUZZ_CHECK(end == of(stream).end && !std::exchange(of(stream).ended, true));
    }
    void on_stdin_taken(std::uint64_t offset) override
    {
        FUZZ_CHECK(offset > stdin_taken_);
        stdin_taken_ = offset;
    }
    void on_exited(exit_report) override { FUZZ_CHECK(!std::exchange(exited_, true)); }
    void on_start_failed(int, std::string) override { FUZZ_CHECK(!std::exchange(exited_, true)); }
    void on_unknown() override { }

    std::uint64_t end_of(stream_number stream) { return of(stream).end; }

private:
    struct place {
        std::uint64_t end = 0;
        bool ended = false;
    };
    place& of(stream_number stream) { return stream == stream_number::stdout_stream ? out_ : err_; }

    place out_;
    place err_;
    std::uint64_t stdin_taken_ = 0;
    bool started_ = false;
    bool exited_ = false;
};

/// All that the server has to say now.
void drain(link_state& server)
{
    constexpr int most_writes = 64;
    for (int writes = 0;; ++writes) {
        frame_batch batch;
        if (!server.fill(batch))
            return;
        FUZZ_CHECK(writes < most_writes);
        std::string said;
        for (const auto part : batch.parts())
            said += part;
        check_said(said, frame_type::resume, frame_type::park);
    }
}

/// The server against an agent that says anything: one execution that it is to start, one that it is to take up again.
void try_hostile_agent(fuzz::input in)
{
    const auto cuts = in.byte();
    const auto version = oldest_version + in.byte() % (protocol_version - oldest_version + 1);
    const resume_point from{5, 0, 2};
    checking_sink fresh({});
    checking_sink resumed(from);
    link_state server;
    server.attach(1, fresh, std::nullopt);
    server.attach(2, resumed, from);
    server.forget(3);
    spawn_request request{.argv = {"true"}, .stdin_open = true};
    server.find(1)->put_file("main.py", 0644, shared_bytes(std::string(300'000, 'x')));
    server.find(1)->spawn(request, nullptr);
    server.find(1)->input().push(0, shared_bytes(std::string("hello")));
    server.find(2)->signal({.number = 15, .group = true});
    server.connected(false, version);
    drain(server);
    decode_all(in.rest(), cuts, markers::anywhere, [&](decode_status status, const frame_view& frame) {
        if (status != decode_status::frame)
            return status == decode_status::opened;
        if (!server.on_frame(frame))
            return false;
        for (const auto stream : {stream_number::stdout_stream, stream_number::stderr_stream}) {
            server.find(1)->acknowledge(stream, fresh.end_of(stream));
            server.find(2)->acknowledge(stream, resumed.end_of(stream));
        }
        drain(server);
        return true;
    });
    server.connected(true, version);
    drain(server);
}

/// Starts what it is told to, and counts.
class counting_host final : public agent_host {
public:
    start_result start(exec_number, const spawn_request& request, std::vector<unique_fd>) override
    {
        FUZZ_CHECK(!request.argv.empty());
        const bool fails = request.argv.front() == "missing";
        return {fails ? ENOENT : 0, fails ? "execve" : "", {10, 1}};
    }
    int put_file(const file_chunk& chunk) override
    {
        FUZZ_CHECK(chunk.path.size() <= max_path_bytes && chunk.bytes.size() <= max_chunk_bytes);
        return chunk.path.empty() ? EINVAL : 0;
    }
    void signal(exec_number, const signal_order& order) override { FUZZ_CHECK(order.number >= 1 && order.number <= 64); }
    void resize(exec_number, const resize_order&) override { }
    void forget(exec_number) override { }
    void shutdown() override { }
    int park(exec_number number, const park_request& request, std::vector<unique_fd> join) override
    {
        FUZZ_CHECK(number <= max_exec_number && join.size() == request.descriptors);
        return EBUSY;
    }
};

/// A program that writes a little, reads what it is given, and ends.
void let_run(agent_execution& one, std::uint8_t step)
{
    if (one.phase() != exec_phase::running)
        return;
    for (const auto stream : {stream_number::stdout_stream, stream_number::stderr_stream}) {
        const auto room = one.output(stream).room();
        const auto count = std::min<std::size_t>(room.size(), step % 16);
        std::fill_n(room.begin(), count, static_cast<char>(step));
        if (count > 0)
            one.output(stream).filled(count);
    }
    const auto pending = one.input().pending().size();
    FUZZ_CHECK(pending <= stream_window_bytes && one.input().taken() >= pending);
    one.input().delivered(step % 2 == 0 ? pending : pending / 2);
    if (step % 8 == 7) {
        one.output(stream_number::stdout_stream).end();
        one.output(stream_number::stderr_stream).end();
        one.set_exited({});
    }
}

/// The agent against a server that says anything.
void try_hostile_server(fuzz::input in)
{
    const auto cuts = in.byte();
    const auto version = oldest_version + in.byte() % (protocol_version - oldest_version + 1);
    counting_host host;
    agent_session agent(host);
    std::string greeting;
    FUZZ_CHECK(agent.open({version, 7, 1, 1'000, "i"}, greeting));
    FUZZ_CHECK(!agent.open({version, 6, 1, 1'000, "i"}, greeting));
    std::uint8_t step = cuts;
    decode_all(in.rest(), cuts, markers::anywhere, [&](decode_status status, const frame_view& frame) {
        if (status != decode_status::frame)
            return status == decode_status::opened;
        if (!agent.on_frame(frame))
            return false;
        FUZZ_CHECK(agent.executions().size() <= agent_session::max_executions);
        for (auto& [number, each] : agent.executions())
            let_run(each, step = static_cast<std::uint8_t>(step * 5 + 1));
        std::string said;
        agent.emit(said, 64 * 1024);
        check_said(said, frame_type::state, frame_type::parked);
        return true;
    });
    agent.close();
    std::string nothing;
    agent.emit(nothing, 1'024);
    FUZZ_CHECK(nothing.empty() && agent.open({version, 8, 2, 1'000, "j"}, nothing));
}

}    // namespace
}    // namespace caisson::protocol

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace caisson::protocol;
    caisson::fuzz::input in(data, size);
    switch (in.byte() % 3) {
    case 0: try_decoder(in); break;
    case 1: try_hostile_agent(in); break;
    default: try_hostile_server(in); break;
    }
    return 0;
}
