#include "app/doors/http/api.hpp"

#include "app/doors/http/credentials.hpp"
#include "app/doors/http/storage_refusal.hpp"
#include "app/wire/query.hpp"
#include "core/auth/scopes.hpp"
#include "core/fairness/fair_workers.hpp"
#include "core/files/signed_url.hpp"
#include "core/files/url_signer.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

namespace caisson::http {

namespace {

/// Body limit of routes that need little or no body.
constexpr std::uint64_t small_body = 64 << 10;
/// White space that may precede the object in a body whose type is not JSON.
constexpr std::size_t most_white_space = 4 << 10;

/// Accepts JSON media types, and under any other type a body that begins with '{': clients that set no type send one of their library's.
/// This helps no page of a foreign origin: a browser sends no credential by itself.
bool may_be_json(const net::request& from)
{
    if (const auto coding = from.fields.find("Content-Encoding"); coding && !net::equal_no_case(*coding, "identity"))
        return false;
    const auto field = from.fields.find("Content-Type");
    const auto head = std::string_view(from.body).substr(0, most_white_space);
    const auto begin = field ? head.find_first_not_of(" \t\r\n") : std::string_view::npos;
    if (!field || from.body.empty() || (begin != std::string_view::npos && head[begin] == '{'))
        return true;
    const auto type = field->substr(0, std::min(field->find_first_of("; \t"), field->size()));
    return net::equal_no_case(type, "application/json") || (type.size() > 5 && net::equal_no_case(type.substr(type.size() - 5), "+json"));
}

/// Path prefixes that the API describes and this version does not serve.
constexpr std::array<std::string_view, 2> later_routes{"/v1/sandboxes", "/v1/admin"};

std::optional<error> not_built_yet(std::string_view path)
{
    for (const auto prefix : later_routes)
        if (path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/'))
            return error{errc::not_implemented, std::string(prefix) + " is not available in this version"};
    return std::nullopt;
}

std::string_view scope_word(scope wanted) { return wanted == scope::run ? "run" : wanted == scope::read ? "read" : "admin"; }

}    // namespace

api::api(api_services services, const std::vector<door_maker>& doors) : use_(std::move(services))
{
    for (const auto& make : doors) {
        doors_.push_back(make(use_));
        for (const auto& each : doors_.back()->routes()) {
            const auto is_same = [&](const route* other) { return other->method == each.method && other->pattern == each.pattern; };
            if (std::ranges::any_of(routes_, is_same))
                throw std::logic_error("two doors have the route " + std::string(each.method) + " " + std::string(each.pattern));
            router_.add(each.method, each.pattern, routes_.size());
            routes_.push_back(&each);
        }
    }
}

std::vector<std::string> api::route_names() const
{
    std::vector<std::string> names;
    for (const auto* each : routes_)
        names.push_back(std::string(each->method) + " " + std::string(each->pattern));
    for (auto& name : names)    // OpenAPI has no syntax for a capture of many segments
        if (const auto dots = name.find("...}"); dots != std::string::npos)
            name.erase(dots, 3);
    return names;
}

net::body_mode api::body_mode_of(const net::request& head) const
{
    const auto match = router_.match(head.method, head.path);
    return match.kind == net::match_kind::found ? routes_[match.route]->with.body : net::body_mode::buffered;
}

std::uint64_t api::body_limit(const net::request& head) const
{
    const auto match = router_.match(head.method, head.path);
    if (match.kind != net::match_kind::found)
        return small_body;
    const auto bytes = routes_[match.route]->with.body_bytes;
    return bytes == 0 ? small_body : bytes;
}

task<> api::handle(net::exchange& exchange)
{
    auto match = router_.match(exchange.request().method, exchange.request().path);
    const auto kind = match.kind;
    const auto* to = kind == net::match_kind::found ? routes_[match.route] : nullptr;
    const auto allow = match.allow;
    auto call = std::make_shared<http::call>(exchange, std::move(match));
    const auto& asked = exchange.request();
    if (auto later = kind == net::match_kind::not_found ? not_built_yet(asked.path) : std::nullopt)
        return call->fail(std::move(*later));
    if (kind == net::match_kind::not_found)
        return call->fail({errc::not_found,
            "there is no route " + asked.method.substr(0, 16) + " " + asked.path.substr(0, 128) + "; /openapi.json lists all"});
    if (kind == net::match_kind::method_not_allowed && is_preflight(asked))
        return answer_preflight(std::move(call), allow);
    if (kind == net::match_kind::method_not_allowed)
        return call->fail({errc::method_not_allowed, asked.method.substr(0, 16) + " is not possible here; use " + allow}, {"Allow", allow});
    return answer(std::move(call), to);
}

task<> api::answer_preflight(call_ptr call, std::string methods)
{
    if (!use_.pages.is_allowed(call->request()))
        return call->fail({errc::forbidden, "pages of this origin may not use the server: add the origin to http.allowed_origins"});
    return call->exchange().respond(preflight_answer(std::move(methods)));
}

task<> api::answer(call_ptr call, const route* to)
{
    std::optional<error> broken;
    try {
        co_await answer_route(call, to);
    } catch (const storage_error& failure) {
        broken = refusal_of(failure);
        if (!broken)
            throw;
        use_.log.error("the database cannot take more now", {{"what", failure.what()}});
    }
    if (broken)
        co_await call->fail(std::move(*broken));
}

task<> api::answer_route(call_ptr call, const route* to)
{
    if (to->needs) {
        const bool is_signed = to->with.signed_resource && !presents_key(call->request()) && has_grant(call->request().query);
        const bool is_stream = to->with.by_ticket == ticket_use::while_stream;
        auto stream = is_stream ? std::string(call->capture("id")) : std::string();
        auto asking = is_signed ? authenticate_signed(call, to) : authenticate(&call->request(), to, std::move(stream));
        auto who = co_await std::move(asking);
        if (who.has_error()) {
            co_await call->fail(who.error());
            co_return;
        }
        call->who = std::move(*who);
        if (!is_signed)
            call->end_with_key(use_.keys);
        // A tenant at its connection limit may still cancel and delete. Clients with signed URLs have a limit of their own.
        const auto trusted = call->exchange().mark_authenticated((is_signed ? "signed by " : "") + call->tenant().str());
        if (trusted.has_error() && to->method != "DELETE" && !to->pattern.ends_with("/cancel")) {
            co_await call->fail(trusted.error());
            co_return;
        }
        if (!allows(call->who, *to->needs)) {
            error lacking{errc::forbidden, "this key lacks the scope \"" + std::string(scope_word(*to->needs)) + "\""};
            co_await call->fail(std::move(lacking));
            co_return;
        }
    }
    auto known = to->with.has_query ? result<void>() : wire::parse_no_query(call->request().query);
    const bool is_json = to->with.body == net::body_mode::streamed || may_be_json(call->request());    // routes check streamed types
    if (known.has_value() && !is_json)
        known = error{
            errc::unsupported_media_type, "the body must be JSON without a content encoding: send \"Content-Type: application/json\""};
    if (known.has_error()) {
        co_await call->fail(known.error());
        co_return;
    }
    if (to->needs) {
        const auto bytes = std::min<std::size_t>(call->request().body.size(), small_body);    // workers parse a larger body
        co_await wait_for_turn(use_.texts, call->tenant(), io_turns::kind::request, bytes);
    }
    co_await to->answer(call);
}

/// Only a valid key admits a large body. A ticket does not: checking it would use it up.
task<result<std::string>> api::admit(const net::request* head)
{
    auto key = presented_key(*head);
    if (key.has_error())
        co_return key.error();
    auto who = co_await use_.auth.authenticate(std::move(*key));
    if (who.has_error())
        co_return who.error();
    co_return who->tenant.str();
}

/// A ticket is valid as long as its key. Opening a stream again needs an execution that runs, or that ended at most a minute ago.
task<result<principal>> api::redeem_ticket(std::string ticket, std::string stream)
{
    constexpr std::int64_t after_the_end_ms = 60'000;
    const auto id = execution_id::parse(stream);
    const auto key = use_.tickets.key_of(ticket);
    result<bool> in_force = true;    // redeem() reports an unknown ticket
    if (key)
        in_force = co_await use_.auth.is_in_force(*key);
    if (in_force.has_error())
        co_return in_force.error();
    if (!*in_force) {
        use_.tickets.end(ticket);
        co_return error{errc::unauthorized, "the key that asked for this ticket was revoked or has expired"};
    }
    auto known = use_.tickets.redeem(ticket, id ? std::string_view(stream) : std::string_view());
    if (known.has_error())
        co_return known.error();
    if (!known->is_again)
        co_return known->who;
    const auto row = co_await use_.executions.find(known->who.tenant, *id);
    if (row.has_error() && row.error().code != errc::not_found)
        co_return row.error();
    if (row.has_value() && (!row->finished_at_ms || use_.time.now_ms() < *row->finished_at_ms + after_the_end_ms))
        co_return known->who;
    use_.tickets.end(ticket);
    co_return error{errc::unauthorized, "the ticket was good until its execution's end and a minute; get a new one with POST /v1/tickets"};
}

task<result<principal>> api::authenticate(const net::request* from, const route* to, std::string stream)
{
    const auto& request = *from;
    result<principal> who = error{errc::unauthorized};
    const auto ticket = presents_key(request) ? std::nullopt : request.query_value("ticket");
    if (ticket && to->with.by_ticket == ticket_use::none)
        co_return error{errc::unauthorized, "a ticket opens streams and files only (GET /v1/connect and …/events, …/stream, …/artifacts/…, "
                                            "…/files of an execution): send a key "
                                            "as \"Authorization: Bearer KEY\" or \"X-API-Key: KEY\""};
    if (ticket) {
        who = co_await redeem_ticket(std::string(*ticket), std::move(stream));
    } else {
        auto key = presented_key(request);
        if (key.has_error())
            co_return key.error();
        who = co_await use_.auth.authenticate(std::move(*key));
    }
    if (who.has_value() && !names_tenant(request, *who))
        co_return error{errc::forbidden, "X-Tenant-ID header does not match the API key's tenant"};
    co_return who;
}

/// The principal of a signed URL: it may read this resource of its tenant and nothing else.
task<result<principal>> api::authenticate_signed(call_ptr call, const route* to)
{
    auto resource = to->with.signed_resource(*call);
    if (!resource || use_.signer == nullptr)
        co_return error{errc::not_found, "there is no such address"};
    auto tenant = co_await use_.signer->check(std::move(*resource), call->request().query);
    if (tenant.has_error())
        co_return tenant.error();
    principal who;
    who.tenant = std::move(*tenant);
    who.scopes = {scope::read};
    co_return who;
}

}    // namespace caisson::http
