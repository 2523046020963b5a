#include "app/doors/rest/executions/connect_session.hpp"

#include "app/doors/http/credentials.hpp"
#include "app/doors/rest/executions/begin_execution.hpp"
#include "app/wire/event_frame.hpp"
#include "core/fairness/fair_workers.hpp"

namespace caisson::http {

connect_session::connect_session(const api_services& use, principal who, std::shared_ptr<net::websocket> socket, wire::frame_format frames)
    : use_(use), who_(std::move(who)), socket_(std::move(socket)), frames_(frames), sending_(use.executor, use.log)
{
}

task<> serve_connection(std::shared_ptr<connect_session> session) { co_await session->serve(); }

task<> close_with_key(std::shared_ptr<connect_session> session) { co_await session->close_with_key(); }

task<> end_connection(std::shared_ptr<connect_session> session, std::uint16_t code, std::string reason)
{
    co_await session->end(code, std::move(reason));
}

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
    auto parse = [&] { return wire::parse_client_frame(text, wire::frame_scope::connect, use_.wire); };
    auto parsed = co_await by_size(use_.texts, who_.tenant, text.size(), parse);
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
    if (done.has_error()) {
        socket_->send_text(wire::error_frame_json(done.error(), parsed.ref));
        co_await answers_taken(socket_, share_());
    }
}

/// The execution that a control frame names: by the client's ref or by id.
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
    return found->second;
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

task<> connect_session::close_with_key()
{
    auto waiting = use_.keys.until_ended(who_.key);
    const auto how = co_await std::move(waiting);
    if (how == wait_end::came)
        co_await socket_->close(net::close_code::policy, std::string(key_is_over));
    co_await use_.time.wait_until(steady_time::max());
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
    const bool may_cancel = frame.request.spec.cancel_on_disconnect;
    auto read_claim = [&] { return claim_of(frame); };
    auto claim = co_await by_size(use_.texts, who_.tenant, frame.content.size(), read_claim);
    auto begun = co_await begin_execution(&use_, who_, std::move(frame.request), std::move(claim), execution_service::answered::at_begin);
    if (begun.has_error())
        co_return begun.error();
    const auto id = begun->row.id;
    if (may_cancel && !begun->replayed)
        bound_.insert(id);
    auto log = co_await use_.executions.open_log(who_.tenant, id, log_position());
    if (log.has_error())
        co_return log.error();
    follow(std::move(frame.ref), id, std::move(*log), begun->row.pty);
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
    follow(std::move(ref), frame.execution, std::move(*log), row->pty);
    co_return result<void>();
}

void connect_session::follow(std::string ref, execution_id id, std::unique_ptr<log_reader> log, bool pty)
{
    auto viewer = std::make_shared<socket_viewer>();
    viewer->socket = socket_;
    viewer->share = [this] { return share_of(share_(), followed_.size()); };
    viewer->log = std::move(log);
    viewer->texts = use_.texts;
    viewer->tenant = who_.tenant;
    viewer->id = id;
    viewer->pty = pty;
    viewer->ref = ref;
    viewer->ref_no = next_ref_no_++;
    viewer->frames = frames_;
    followed_.insert_or_assign(ref, id);
    sending_.spawn("viewer of " + id.str(), send_and_note(std::move(ref), std::move(viewer)));
}

/// If the viewer fails or sees first that the client is gone, the execution stays in `bound_`: it still ends with its client.
task<> connect_session::send_and_note(std::string ref, std::shared_ptr<socket_viewer> viewer)
{
    const bool has_ended = co_await send_log(viewer);
    followed_.erase(ref);
    if (has_ended)
        bound_.erase(viewer->id);
}

task<> connect_session::end(std::uint16_t code, std::string reason)
{
    co_await sending_.stop();
    const auto left = std::exchange(bound_, {});
    for (const auto& each : left)
        if (code != net::close_code::going_away)
            static_cast<void>(co_await use_.executions.cancel(who_.tenant, each));
    co_await socket_->close(code, std::move(reason));
}

}    // namespace caisson::http
