#include "app/http/connect_session.hpp"

#include "app/http/begin_execution.hpp"
#include "app/wire/event_frame.hpp"

namespace caisson::http {

connect_session::connect_session(const api_services& use, principal who, std::shared_ptr<net::websocket> socket, wire::frame_format frames)
    : use_(use), who_(std::move(who)), socket_(std::move(socket)), frames_(frames), sending_(use.executor, use.log)
{
}

task<> serve_connection(std::shared_ptr<connect_session> session) { co_await session->serve(); }

task<> end_connection(std::shared_ptr<connect_session> session, bool draining) { co_await session->end(draining); }

task<> connect_session::serve()
{
    for (;;) {
        auto message = co_await socket_->receive();
        if (!message)
            co_return;
        if (message->kind == net::message_kind::binary) {
            co_await refuse_binary(socket_);
            co_return;
        }
        co_await handle(std::move(message->data));
    }
}

task<> connect_session::handle(std::string text)
{
    auto parsed = wire::parse_client_frame(text, wire::frame_scope::connect, use_.wire);
    result<void> done;
    if (parsed.frame.has_error()) {
        done = parsed.frame.error();
    } else if (auto* run_wanted = std::get_if<wire::run_frame>(&*parsed.frame)) {
        done = co_await run(std::move(*run_wanted));
    } else if (auto* attach_wanted = std::get_if<wire::attach_frame>(&*parsed.frame)) {
        done = co_await attach(std::move(*attach_wanted));
    } else if (auto target = find_target(*parsed.frame); target.has_error()) {
        done = target.error();
    } else {
        done = co_await apply_frame(use_, who_, *target, std::move(*parsed.frame));
    }
    if (done.has_error())
        socket_->send_text(wire::error_frame_json(done.error(), parsed.ref));
}

/// Which execution a control frame means: by the client's own name, or by id.
result<execution_id> connect_session::find_target(const wire::client_frame& frame) const
{
    const auto of = [](const auto& each) -> const wire::frame_target* {
        if constexpr (requires { each.target; })
            return &each.target;
        else
            return nullptr;
    };
    const auto* target = std::visit(of, frame);
    if (target && target->execution)
        return *target->execution;
    const auto found = target ? followed_.find(target->ref) : followed_.end();
    if (found == followed_.end())
        return error{errc::not_found, "this connection has no execution with that ref", {{"ref", "is not known here"}}};
    return found->second.id;
}

result<void> connect_session::check_ref(const std::string& ref) const
{
    if (followed_.contains(ref))
        return error{errc::conflict, "this ref is in use on this connection", {{"ref", "is in use"}}};
    const auto limit = use_.config.http.max_refs_per_connection;
    if (followed_.size() >= static_cast<std::size_t>(limit))
        return error{errc::rate_limited, "this connection follows " + std::to_string(limit) + " executions, which is the most it may"};
    return {};
}

std::optional<idempotency_claim> connect_session::claim_of(const wire::run_frame& frame) const
{
    if (frame.idempotency_key.empty())
        return std::nullopt;
    return idempotency_claim{"run /v1/connect", frame.idempotency_key, use_.digest(frame.content)};
}

task<result<void>> connect_session::run(wire::run_frame frame)
{
    auto free = check_ref(frame.ref);
    if (free.has_error())
        co_return free.error();
    followed what;
    const bool may_cancel = frame.request.spec.cancel_on_disconnect;
    auto claim = claim_of(frame);
    auto begun = co_await begin_execution(&use_, who_, std::move(frame.request), std::move(claim));
    if (begun.has_error())
        co_return begun.error();
    what.cancel_on_disconnect = may_cancel && !begun->replayed;
    what.id = begun->row.id;
    auto log = co_await use_.executions.open_log(who_.tenant, what.id, log_position());
    if (log.has_error())
        co_return log.error();
    follow(std::move(frame.ref), what, std::move(*log), begun->row.pty);
    co_return result<void>();
}

task<result<void>> connect_session::attach(wire::attach_frame frame)
{
    auto ref = frame.ref.empty() ? frame.execution.str() : frame.ref;
    auto free = check_ref(ref);
    if (free.has_error())
        co_return free.error();
    auto row = co_await use_.executions.find(who_.tenant, frame.execution);
    if (row.has_error())
        co_return row.error();
    auto log = co_await use_.executions.open_log(who_.tenant, frame.execution, frame.after);
    if (log.has_error())
        co_return log.error();
    followed what;
    what.id = frame.execution;
    follow(std::move(ref), what, std::move(*log), row->pty);
    co_return result<void>();
}

void connect_session::follow(std::string ref, followed what, std::unique_ptr<log_reader> log, bool pty)
{
    auto viewer = std::make_shared<socket_viewer>();
    viewer->socket = socket_;
    viewer->share = [this] { return share_of(share_(), followed_.size()); };
    viewer->log = std::move(log);
    viewer->id = what.id;
    viewer->pty = pty;
    viewer->ref = ref;
    viewer->ref_no = next_ref_no_++;
    viewer->frames = frames_;
    followed_.insert_or_assign(ref, what);
    sending_.spawn("viewer of " + what.id.str(), send_and_note(std::move(ref), std::move(viewer)));
}

/// What goes with its client is kept until it has ended: a viewer may find that the client is gone before serve() does.
task<> connect_session::send_and_note(std::string ref, std::shared_ptr<socket_viewer> viewer)
{
    co_await send_log(viewer);
    const bool has_ended = viewer->socket->open() && viewer->log->at_end();
    const auto found = followed_.find(ref);
    if (found != followed_.end() && (has_ended || !found->second.cancel_on_disconnect))
        followed_.erase(found);
}

task<> connect_session::end(bool draining)
{
    co_await sending_.stop();
    const auto left = std::exchange(followed_, {});
    for (const auto& [ref, what] : left)
        if (what.cancel_on_disconnect && !draining)
            static_cast<void>(co_await use_.executions.cancel(who_.tenant, what.id));
    const auto code = draining ? net::close_code::going_away : net::close_code::normal;
    const std::string reason = draining ? "the server is stopping; attach again with the last cursor" : "";
    co_await socket_->close(code, reason);
}

}    // namespace caisson::http
