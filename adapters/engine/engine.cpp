#include "adapters/engine/engine.hpp"

#include "adapters/engine/engine_address.hpp"
#include "adapters/engine/engine_error.hpp"
#include "adapters/engine/engine_impl.hpp"
#include "adapters/engine/engine_info.hpp"
#include "adapters/net/percent.hpp"
#include "adapters/net/tls_context.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <stdexcept>

namespace caisson::docker {

namespace {

constexpr std::uint64_t max_answer_bytes = 16 << 20;    // of JSON; fits lists of thousands of containers

net::url usable_address(const engine_options& options)
{
    auto address = engine_address(options);
    if (address.has_error())
        throw std::runtime_error(address.error().detail);
    if (!address->encrypted)
        return *address;
    const auto trust = net::tls_context::for_client(options.ca_file, {options.certificate_file, options.key_file});
    if (trust.has_error())
        throw std::runtime_error(trust.error().detail);
    return *address;
}

net::client_options client_options_of(const engine_options& options)
{
    return {.max_response_bytes = max_answer_bytes,
        .ca_file = options.ca_file,
        .certificate_file = options.certificate_file,
        .key_file = options.key_file};
}

net::request request_of(std::string method, std::string target)
{
    net::request out;
    out.method = std::move(method);
    out.target = std::move(target);
    return out;
}

result<boost::json::value> json_in(const net::response& answer)
{
    if (answer.body.empty())
        return boost::json::value();
    boost::system::error_code failed;
    auto json = boost::json::parse(answer.body, failed);
    if (failed)
        return not_an_engine("its answer is no JSON");
    return json;
}

/// 304 is a success: no change was needed.
result<boost::json::value> json_of(const net::response& answer)
{
    const bool good = answer.status / 100 == 2 || answer.status == 304;
    if (!good)
        return engine_error(answer.status, answer.body);
    return json_in(answer);
}

}    // namespace

engine::impl::impl(io_executor the_executor, timers& the_time, engine_options the_options)
    : time(the_time)
    , options(std::move(the_options))
    , executor(the_executor)
    , user(executor, time, usable_address(options), client_options_of(options))
{
}

error engine::impl::failure(error of_client)
{
    const bool slow = of_client.code == errc::timed_out;
    if (!slow)
        known.reset();
    return {slow ? errc::timed_out : errc::runtime_unavailable, "the Docker engine cannot be used: " + of_client.detail};
}

task<result<dialect>> engine::impl::ask(steady_time deadline)
{
    auto what = request_of("GET", "/version");
    const auto answer = co_await user.send(std::move(what), deadline);
    if (answer.has_error())
        co_return failure(answer.error());
    if (answer->status / 100 == 5)
        co_return engine_error(answer->status, answer->body);
    if (answer->status != 200)
        co_return not_an_engine("it answers " + std::to_string(answer->status) + " when it is asked for its version");
    const auto json = json_in(*answer);
    if (json.has_error())
        co_return json.error();
    const auto version = engine_version_from(*json);
    if (version.has_error())
        co_return version.error();
    const auto spoken = spoken_with(*version);
    if (spoken.has_error())
        co_return spoken.error();
    co_return dialect{*version, *spoken};
}

task<result<dialect>> engine::impl::negotiate(steady_time deadline)
{
    const auto mine = std::make_shared<negotiation>(executor);
    latest = mine;
    const auto end = [](negotiation* of) { of->ended.notify_all(); };
    const std::unique_ptr<negotiation, decltype(end)> ending(mine.get(), end);    // also on cancellation
    auto got = co_await ask(deadline);
    if (got.has_value())
        known = *got;
    else if (got.error().code != errc::timed_out)    // waiters may have later deadlines
        mine->failed = got.error();
    co_return got;
}

task<result<dialect>> engine::impl::negotiated(steady_time deadline)
{
    while (!known) {
        const auto awaited = latest;
        if (!awaited || awaited->over())
            co_return co_await negotiate(deadline);
        auto ends = awaited->ended.wait_past(0);
        const auto ended = co_await with_deadline(time, deadline, std::move(ends));
        if (ended.has_error())
            co_return failure({errc::timed_out, user.server().str() + " did not answer in time"});
        if (awaited->failed)
            co_return *awaited->failed;
    }
    co_return *known;
}

task<result<boost::json::value>> engine::impl::call(net::request what, steady_time deadline)
{
    const auto with = co_await negotiated(deadline);
    if (with.has_error())
        co_return with.error();
    what.target = with->target(what.target);
    const auto answer = co_await user.send(std::move(what), deadline);
    if (answer.has_error())
        co_return failure(answer.error());
    co_return json_of(*answer);
}

task<result<engine_info>> engine::impl::info(steady_time deadline)
{
    const auto with = co_await negotiated(deadline);
    if (with.has_error())
        co_return with.error();
    auto what = request_of("GET", "/info");
    const auto json = co_await call(std::move(what), deadline);
    if (json.has_error())
        co_return json.error();
    co_return engine_info_from(*json, with->of, with->spoken);
}

engine::engine(io_executor executor, timers& time, engine_options options)
    : impl_(std::make_unique<impl>(executor, time, std::move(options)))
{
}

engine::~engine() = default;

const std::string& engine::address() const { return impl_->options.address; }
bool engine::local() const { return !impl_->user.server().socket_path.empty(); }
bool engine::exposed() const { return !local() && !impl_->user.server().encrypted; }
timers& engine::time() const { return impl_->time; }
steady_time engine::deadline() const { return impl_->time.steady_now() + impl_->options.timeout; }

task<result<engine_info>> engine::info(steady_time deadline) { return impl_->info(deadline); }

task<result<boost::json::value>> engine::call(std::string method, std::string target, steady_time deadline)
{
    return impl_->call(request_of(std::move(method), std::move(target)), deadline);
}

task<result<boost::json::value>> engine::call(std::string method, std::string target, boost::json::value body, steady_time deadline)
{
    auto what = request_of(std::move(method), std::move(target));
    what.fields.add("Content-Type", "application/json");
    what.body = boost::json::serialize(body);
    return impl_->call(std::move(what), deadline);
}

task<result<std::unique_ptr<net::body_reader>>> engine::open_stream(
    std::string method, std::string target, net::headers fields, steady_time deadline)
{
    auto what = request_of(std::move(method), std::move(target));
    what.fields = std::move(fields);
    return impl_->open_stream(std::move(what), deadline);
}

task<result<std::string>> engine::upload(std::string method, std::string target, net::body_source& body, net::transfer_options how)
{
    auto what = request_of(std::move(method), std::move(target));
    what.fields.add("Content-Type", "application/x-tar");
    return impl_->upload(std::move(what), &body, std::move(how));
}

task<result<std::unique_ptr<net::raw_connection>>> engine::hijack(std::string target, steady_time deadline)
{
    return impl_->hijack(std::move(target), deadline);
}

std::string escaped(std::string_view text) { return net::percent_encode(text); }

}    // namespace caisson::docker
