#include "adapters/net/session.hpp"

#include "adapters/net/session_exchange.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace caisson::net {

namespace {

constexpr std::size_t max_request_id_bytes = 128;
constexpr std::size_t early_reserve_bytes = 1 << 20;    // reserved at most for an announced body before it arrives

bool is_sane_id(std::string_view text)
{
    return !text.empty() && text.size() <= max_request_id_bytes && std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
}

std::string what(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "unknown exception";
    }
}

response problem(int status, errc code, std::string_view message, std::string_view request_id)
{
    const boost::json::object body{{"error", slug(code)}, {"message", message}, {"request_id", request_id}};
    return {status, {{"Content-Type", "application/json; charset=utf-8"}}, boost::json::serialize(body)};
}

constexpr std::uint64_t small_body_bytes = 1 << 20;

/// The size of a request body, counted against the limit of all connections.
class held_body {
public:
    explicit held_body(server_state& state) : state_(state) { }
    ~held_body() { state_.bodies_bytes -= held_; }
    held_body(const held_body&) = delete;
    held_body& operator=(const held_body&) = delete;

    /// The last eighth of the limit is for small bodies: large ones only block other large ones. `place` is the owner's; may be null.
    std::optional<refusal> grow_to(std::uint64_t bytes, owner_place* place)
    {
        state_.bodies_bytes += bytes - held_;
        held_ = bytes;
        if (place != nullptr && !place->hold_body(bytes))
            return refusal{429, errc::quota_exceeded,
                "the bodies of your tenant's requests that are on their way are more than " +
                    std::to_string(state_.owners.bounds.bodies_bytes) + " bytes together; send fewer large ones at once"};
        const auto room = state_.options.max_bodies_bytes;
        if (state_.bodies_bytes > (bytes <= small_body_bytes ? room : room - room / 8))
            return refusal{503, errc::runtime_unavailable, "the server holds too many request bodies; try again soon"};
        return std::nullopt;
    }
    void let_go(owner_place* place)
    {
        state_.bodies_bytes -= held_;
        held_ = 0;
        if (place != nullptr)
            place->hold_body(0);
    }

private:
    server_state& state_;
    std::uint64_t held_ = 0;
};

refusal too_slow_head(std::chrono::milliseconds limit)
{
    return {408, errc::timed_out, "the head of the request did not come within " + std::to_string(limit.count()) + " ms"};
}

class session {
public:
    /// `link` must outlive the session.
    explicit session(connection& link) : state_(&link.server()), link_(link), held_(*state_) { }

    /// Serves all requests. Returns the task to run afterwards; not valid() if there is none.
    task<task<>> run();
    task<> turn_away(std::string why);

private:
    task<bool> secure(std::shared_ptr<const tls_context> with);
    task<bool> serve_one();
    task<bool> await_first_byte();
    task<bool> read_head();
    task<bool> scan_head();
    task<bool> read_body();
    task<bool> admit_body();
    task<bool> take_body();
    task<bool> answer();
    task<bool> answer_for_body();
    task<bool> refuse(refusal why);
    void name_request();

    server_state* const state_;
    connection& link_;
    task<> rest_;
    // The current request:
    request_head head_;
    head_scanner scanner_{head_limits{}};
    body_decoder decoder_;
    std::optional<streamed_body> streamed_;    // under body_mode::streamed
    held_body held_;
    std::size_t served_ = 0;
};

task<task<>> session::run()
{
    const bool ready = !state_->tls || co_await secure(state_->tls);
    while (ready && co_await serve_one()) { }
    co_await link_.linger();
    co_return std::move(rest_);
}

/// Returns false if the client does not speak TLS, or the handshake failed.
task<bool> session::secure(std::shared_ptr<const tls_context> with)
{
    constexpr char handshake_record = 0x16;
    link_.wait_for(phase::handshake, state_->options.header_timeout);
    const auto first = co_await link_.first_byte();
    if (!first) {
        link_.close();
        co_return false;
    }
    if (*first == handshake_record)
        co_return co_await link_.secure(std::move(with));
    refusal why{400, errc::bad_request, "this port speaks TLS only: use https:// or wss://"};
    co_return co_await refuse(std::move(why));
}

/// True if another request may follow.
task<bool> session::serve_one()
{
    link_.begin_request();
    head_ = request_head{};
    streamed_.reset();
    held_.let_go(link_.place_of_owner());
    const bool begun = co_await await_first_byte();
    if (!begun || !co_await read_head())
        co_return false;
    if (head_.body != framing::none && !co_await read_body())
        co_return false;
    ++served_;
    link_.handling();
    co_return co_await answer();
}

task<bool> session::await_first_byte()
{
    link_.wait_for(phase::idle, state_->options.idle_timeout);
    auto& input = link_.input();
    input.shrink();
    while (true) {
        while (input.view().starts_with("\r\n"))
            input.consume(2);
        if (!input.empty() && input.view() != "\r")
            co_return true;
        // While draining, serve only requests that have already arrived.
        if (state_->draining)
            co_return false;
        const bool more = co_await link_.read_more();
        if (!more)
            co_return false;
    }
}

/// Returns false if the request was refused or the client is gone, as do all functions that read.
task<bool> session::read_head()
{
    link_.wait_for(phase::reading, state_->options.header_timeout);
    auto& input = link_.input();
    if (cannot_begin_request(input.view().front())) {
        refusal why{400, errc::bad_request, "this is not HTTP; TLS is not spoken on this port"};
        co_return co_await refuse(std::move(why));
    }
    const bool complete = co_await scan_head();
    if (!complete)
        co_return false;
    auto refused = parse_request_head(input.view().substr(0, scanner_.head_bytes()), head_);
    input.consume(scanner_.head_bytes());
    name_request();
    if (refused)
        co_return co_await refuse(std::move(*refused));
    co_return true;
}

task<bool> session::scan_head()
{
    const auto& options = state_->options;
    const head_limits limits{options.max_request_line_bytes, options.max_header_bytes, options.max_header_count};
    scanner_ = head_scanner(limits);
    while (!scanner_.scan(link_.input().view())) {
        if (scanner_.refused())
            co_return co_await refuse(*scanner_.refused());
        const bool more = co_await link_.read_more();
        if (!more && link_.timed_out())
            co_return co_await refuse(too_slow_head(options.header_timeout));
        if (!more)
            co_return false;
    }
    co_return true;
}

void session::name_request()
{
    head_.request.peer = link_.peer();
    const auto given = head_.request.fields.find("X-Request-Id");
    head_.request.request_id = given && is_sane_id(*given) ? std::string(*given) : state_->next_request_id();
}

namespace {

int status_of_refusal(errc code) { return code == errc::unauthorized ? 401 : code == errc::forbidden ? 403 : 503; }

}    // namespace

/// Reads the whole body, or prepares it for streaming.
task<bool> session::read_body()
{
    const auto& request = head_.request;
    const bool streams = state_->answers.body_mode_of(request) == body_mode::streamed;
    const auto limit = std::min(streams ? UINT64_MAX : state_->options.max_body_bytes, state_->answers.body_limit(request));
    decoder_ = body_decoder(head_.body, head_.content_length, limit);
    if (decoder_.refused())
        co_return co_await refuse(*decoder_.refused());
    const bool admitted = co_await admit_body();
    if (!admitted)
        co_return false;
    const bool asks = head_.expects_continue && !decoder_.done();
    if (streams) {
        streamed_.emplace(link_, decoder_, asks);
        co_return true;
    }
    if (asks && link_.input().empty()) {
        const bool sent = co_await link_.write(continue_line);
        if (!sent)
            co_return false;
    }
    if (head_.body == framing::length)
        head_.request.body.reserve(std::min<std::size_t>(head_.content_length, early_reserve_bytes));
    co_return co_await take_body();
}

task<bool> session::admit_body()
{
    const bool small = head_.body != framing::chunked && head_.content_length <= handler::unasked_body_bytes;
    if (small)
        co_return true;
    auto admitted = co_await state_->answers.admit(&head_.request);
    if (admitted.has_error()) {
        refusal why{status_of_refusal(admitted.error().code), admitted.error().code, admitted.error().detail};
        co_return co_await refuse(std::move(why));
    }
    if (const auto trusted = link_.mark_authenticated(*admitted); trusted.has_error()) {
        refusal why{429, trusted.error().code, trusted.error().detail};
        co_return co_await refuse(std::move(why));
    }
    co_return true;
}

task<bool> session::take_body()
{
    const auto& options = state_->options;
    auto& body = head_.request.body;
    std::size_t due = 0;    // the body size that restarts the timeout
    std::size_t step = options.min_body_bytes;
    while (true) {
        if (body.size() >= early_reserve_bytes && body.capacity() < body.size() + decoder_.most_left())
            body.reserve(body.size() + decoder_.most_left());    // at once: growing by doubling copies all of it each time
        link_.input().consume(decoder_.feed(link_.input().view(), body));
        if (decoder_.refused())
            co_return co_await refuse(*decoder_.refused());
        if (auto why = held_.grow_to(body.size(), link_.place_of_owner())) {
            body = std::string();    // frees the memory for other requests first
            held_.let_go(link_.place_of_owner());
            co_return co_await refuse(std::move(*why));
        }
        if (decoder_.done())
            co_return true;
        if (body.size() >= due) {
            link_.wait_for(phase::reading, options.body_timeout);
            step = std::max(options.min_body_bytes, body.size() / 16);    // larger bodies must arrive faster
            due = body.size() + step;
        }
        const bool more = co_await link_.read_more();
        if (!more && link_.timed_out())
            co_return co_await refuse(too_slow_body(options, step));
        if (!more)
            co_return false;
    }
}

/// True if another request may follow.
task<bool> session::answer()
{
    session_exchange one(link_, head_, served_ < state_->options.max_requests_per_connection, streamed_ ? &*streamed_ : nullptr);
    std::exception_ptr failure;
    try {
        co_await state_->answers.handle(one);
    } catch (...) {
        failure = std::current_exception();
    }
    const auto cancelled = co_await asio::this_coro::cancellation_state;
    if (failure && cancelled.cancelled() != asio::cancellation_type::none)
        std::rethrow_exception(failure);
    if (!failure && !one.begun() && streamed_ && streamed_->failed())
        co_return co_await answer_for_body();
    const auto& request = head_.request;
    if (!failure && !one.begun() && link_.left()) {    // the client is gone, and the handler noticed
        state_->log.debug("a client left before its answer", {{"request_id", request.request_id}, {"path", request.path}});
        link_.close();
        co_return false;
    }
    if (failure || !one.begun()) {
        state_->log.error("a request handler failed", {{"request_id", request.request_id}, {"method", request.method},
                                                          {"path", request.path}, {"what", failure ? what(failure) : "it did not answer"}});
    }
    if (!one.begun()) {
        auto sorry = problem(500, errc::internal, "the server failed to answer this request", request.request_id);
        co_await one.respond(std::move(sorry));
    }
    if (!one.finished())
        link_.close();
    else if (!failure)
        rest_ = one.take_rest();
    co_return one.keeps_alive();
}

/// Sends the body's refusal after a handler that returned without a response.
task<bool> session::answer_for_body()
{
    if (const auto& why = streamed_->refused())
        co_return co_await refuse(*why);
    co_return false;
}

/// Sends the refusal and returns false: no other request may follow.
task<bool> session::refuse(refusal why)
{
    auto& id = head_.request.request_id;
    if (id.empty())
        id = state_->next_request_id();
    auto answer = problem(why.status, why.code, why.message, id);
    if (why.status == 503 || why.status == 429)
        answer.fields.add("Retry-After", std::to_string(state_->options.retry_after.count()));
    link_.handling();
    session_exchange last(link_, head_, false);
    co_await last.respond(std::move(answer));
    co_return false;
}

task<> session::turn_away(std::string why)
{
    link_.turn_away();
    refusal full{503, errc::runtime_unavailable, why + "; try again soon"};
    co_await refuse(std::move(full));
    co_await link_.linger();
}

}    // namespace

namespace {

task<task<>> serve_requests(std::shared_ptr<connection> link)
{
    session one(*link);
    co_return co_await one.run();
}

}    // namespace

task<> serve_connection(std::shared_ptr<server_state> state, tcp_socket socket, tcp::endpoint peer)
{
    const auto link = std::make_shared<connection>(std::move(state), std::move(socket), peer);
    auto rest = co_await serve_requests(link);
    if (rest.valid())
        co_await std::move(rest);
}

task<> turn_away(std::shared_ptr<server_state> state, tcp_socket socket, tcp::endpoint peer, std::string why)
{
    connection link(std::move(state), std::move(socket), peer);
    session one(link);
    co_await one.turn_away(std::move(why));
}

}    // namespace caisson::net
