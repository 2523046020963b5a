#include "core/protocol/agent_session.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

namespace caisson::protocol {

namespace {

constexpr std::size_t max_reply_bytes = 64 * 1024;
constexpr std::size_t max_waiting_descriptors = 64;

/// Moves the first `count` descriptors out of `from`, or all.
std::vector<unique_fd> take(std::vector<unique_fd>& from, std::size_t count)
{
    const auto end = from.begin() + static_cast<std::ptrdiff_t>(std::min(count, from.size()));
    std::vector<unique_fd> taken(std::make_move_iterator(from.begin()), std::make_move_iterator(end));
    from.erase(from.begin(), end);
    return taken;
}

bool carries_an_execution(frame_type type) { return type != frame_type::shutdown && type != frame_type::ping && type != frame_type::park; }

}    // namespace

int agent_host::park(exec_number, const park_request&, std::vector<unique_fd>) { return ENOSYS; }

bool agent_session::open(const hello& server, std::string& out)
{
    const bool spoken = server.version >= oldest_version && server.version <= protocol_version;
    const bool obeyed = spoken && server.epoch >= epoch_;
    if (obeyed) {
        close();
        open_ = true;
        epoch_ = server.epoch;
        version_ = server.version;
        lease_ms_ = server.lease_ms;
    }
    answer(out, spoken ? server.version : protocol_version, server.nonce);
    return obeyed;
}

void agent_session::answer(std::string& out, std::uint32_t version, std::uint64_t nonce) const
{
    out.append(open_marker);
    encode_frame(out, hello{version, epoch_, nonce, 0, {}});
}

void agent_session::close()
{
    open_ = false;
    for (auto& [number, execution] : executions_)
        execution.leave();
    descriptors_.clear();
    spawn_ = {};
    replies_.clear();
}

/// The answer begins with the marker, as no frame does: to a connected server it is a broken frame.
void agent_session::break_off(std::string& out)
{
    if (!open_)
        return;
    close();
    answer(out, version_, 0);
}

void agent_session::add_descriptors(std::vector<unique_fd> fds)
{
    for (auto& each : fds)
        if (descriptors_.size() < max_waiting_descriptors)
            descriptors_.push_back(std::move(each));
}

bool agent_session::on_frame(const frame_view& frame)
{
    if (carries_an_execution(frame.type) && (frame.exec == 0 || frame.exec > max_exec_number))
        return false;
    switch (frame.type) {
    case frame_type::resume: {
        resume_point server;
        return decode(frame.body, server) && on_resume(frame.exec, server);
    }
    case frame_type::spawn: {
        spawn_chunk chunk;
        return decode(frame.body, chunk) && on_spawn(frame.exec, chunk);
    }
    case frame_type::file: {
        file_chunk chunk;
        return decode(frame.body, chunk) && on_file(frame.exec, chunk);
    }
    case frame_type::stdin_data: return on_stdin(frame);
    case frame_type::stdin_eof: return on_stdin_end(frame);
    case frame_type::ack: return on_ack(frame);
    case frame_type::signal: return on_signal(frame);
    case frame_type::resize: return on_resize(frame);
    case frame_type::forget: return on_forget(frame.exec);
    case frame_type::shutdown: host_.shutdown(); return true;
    case frame_type::ping: return true;
    case frame_type::park: return version_ >= first_with_parking && on_park(frame.exec, frame.body);
    default: return false;
    }
}

bool agent_session::on_resume(exec_number number, const resume_point& server)
{
    if (auto* known = find(number)) {
        known->resume(server);
        return true;
    }
    encode_frame(replies_, number, exec_state{});
    return reply_fits();
}

bool agent_session::on_spawn(exec_number number, const spawn_chunk& chunk)
{
    auto join = take(descriptors_, chunk.descriptors);
    if (auto* known = find(number)) {    // a repeat; closes its descriptors
        if (chunk.offset == 0)
            known->resume({});
        return true;
    }
    if (join.size() < chunk.descriptors) {    // some did not arrive; a program must not run outside its groups
        fail(number, EMFILE, "cgroup");
        return reply_fits();
    }
    if (chunk.offset == 0)
        spawn_ = {number, {}, std::move(join)};
    if (spawn_.number != number || spawn_.bytes.size() != chunk.offset)
        return false;
    spawn_.bytes.append(chunk.bytes);
    if (spawn_.bytes.size() == chunk.total)
        start(number);
    return true;
}

void agent_session::start(exec_number number)
{
    auto order = std::exchange(spawn_, {});
    spawn_request request;
    if (!decode_spawn(order.bytes, request))
        return fail(number, EINVAL, "spawn");
    order.bytes = {};
    if (executions_.size() >= max_executions)
        return fail(number, EAGAIN, "too many executions");
    auto outcome = host_.start(number, request, std::move(order.join));
    if (outcome.code != 0)
        return fail(number, outcome.code, std::move(outcome.step));
    auto& execution = executions_.try_emplace(number, number).first->second;
    execution.set_started(outcome.what, request.pty.has_value());
    execution.join();
}

void agent_session::fail(exec_number number, int code, std::string step)
{
    if (executions_.size() >= max_executions) {
        encode_frame(replies_, number, start_error{code, step});
        return;
    }
    auto& execution = executions_.try_emplace(number, number).first->second;
    execution.set_failed(code, std::move(step));
    execution.join();
}

bool agent_session::on_file(exec_number number, const file_chunk& chunk)
{
    if (find(number))    // already started with the file, or failed
        return true;
    if (const int code = host_.put_file(chunk))
        fail(number, code, "file " + std::string(chunk.path));
    return reply_fits();
}

bool agent_session::on_stdin(const frame_view& frame)
{
    stdin_chunk chunk;
    if (!decode(frame.body, chunk))
        return false;
    if (auto* execution = find(frame.exec))
        execution->input().receive(chunk.offset, chunk.bytes);
    return true;
}

bool agent_session::on_stdin_end(const frame_view& frame)
{
    stdin_end end;
    if (!decode(frame.body, end))
        return false;
    if (auto* execution = find(frame.exec))
        execution->take_stdin_end(end.end);
    return true;
}

bool agent_session::on_ack(const frame_view& frame)
{
    acknowledgement ack;
    if (!decode(frame.body, ack))
        return false;
    if (auto* execution = find(frame.exec))
        execution->output(ack.stream).acknowledge(ack.end);
    return true;
}

bool agent_session::on_signal(const frame_view& frame)
{
    signal_order order;
    if (!decode(frame.body, order) || order.number == 0 || order.number > 64)
        return false;
    if (auto* execution = find(frame.exec); execution && execution->take_signal(order.order))
        host_.signal(frame.exec, order);
    return true;
}

bool agent_session::on_resize(const frame_view& frame)
{
    resize_order order;
    if (!decode(frame.body, order))
        return false;
    if (find(frame.exec))
        host_.resize(frame.exec, order);
    return true;
}

bool agent_session::on_forget(exec_number number)
{
    if (find(number)) {
        host_.forget(number);
        executions_.erase(number);
    }
    encode_bare_frame(replies_, frame_type::forgotten, number);
    return reply_fits();
}

bool agent_session::on_park(exec_number number, std::string_view body)
{
    park_request request;
    if (!decode(body, request) || number > max_exec_number)
        return false;
    const bool joins = number != 0 || request.descriptors != 0 || request.is_bare();
    if (joins && version_ < first_with_joined_parking)
        return false;
    auto join = take(descriptors_, request.descriptors);
    const int code = join.size() < request.descriptors ? EMFILE : host_.park(number, request, std::move(join));
    if (code != 0)
        tell({code, "park"});
    return reply_fits();
}

void agent_session::tell(const parked& what)
{
    if (open_ && version_ >= first_with_parking)
        encode_frame(replies_, what);
}

/// False for a server that sends requests without reading the answers.
bool agent_session::reply_fits() const { return replies_.size() <= max_reply_bytes; }

void agent_session::emit(std::string& out, std::size_t limit)
{
    if (!open_ || out.size() >= limit)
        return;
    out.append(replies_);
    replies_ = {};
    for (auto& [number, execution] : executions_)
        execution.emit_control(out, version_);
    std::size_t idle = 0;
    auto next = executions_.upper_bound(last_served_);
    while (out.size() < limit && idle < executions_.size()) {
        if (next == executions_.end())
            next = executions_.begin();
        idle = next->second.emit_output(out) ? 0 : idle + 1;
        last_served_ = next->first;
        ++next;
    }
}

agent_execution* agent_session::find(exec_number number)
{
    const auto found = executions_.find(number);
    return found == executions_.end() ? nullptr : &found->second;
}

}    // namespace caisson::protocol
