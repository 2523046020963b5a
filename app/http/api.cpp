#include "app/http/api.hpp"

#include "app/http/credentials.hpp"
#include "app/http/skill_upload.hpp"
#include "app/http/storage_refusal.hpp"
#include "app/wire/query.hpp"
#include "app/wire/thread_request.hpp"
#include "core/auth/scopes.hpp"
#include "core/fairness/fair_workers.hpp"
#include "core/files/signed_url.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace caisson::http {

struct route {
    std::string_view method;
    std::string_view pattern;
    std::optional<scope> needs;    // none: open to all
    task<> (api::*answer)(call_ptr);
    bool has_query = false;                            // false: parameters are refused here
    std::uint64_t body_bytes = 0;                      // 0: no body is expected; a small one is accepted
    net::body_mode body = net::body_mode::buffered;    // streamed: any content type, read by exchange().body(); needs body_bytes
    bool by_signature = false;                         // a signed URL may replace the key
    bool by_ticket = false;                            // a ticket in the URL may replace the key, for what browsers open without headers
};

constexpr std::string_view events_pattern = "/v1/executions/{id}/events";

struct route_table {
    static constexpr std::uint64_t whole_body = UINT64_MAX;          // the server's own limit
    static constexpr std::uint64_t package_body = UINT64_MAX - 1;    // a skill package: the config's limit
    static constexpr std::uint64_t image_body = UINT64_MAX - 2;      // an image: the config's limit
    static constexpr std::uint64_t state_body = UINT64_MAX - 3;      // a checkpoint with its state: derived from the config's limit
    static constexpr std::uint64_t thread_body = UINT64_MAX - 4;     // a whole thread: the config's limit
    static constexpr auto routes = std::to_array<route>({
        {"POST", "/v1/executions", scope::run, &api::create_execution, false, whole_body},
        {"POST", "/v1/executions/batch", scope::run, &api::create_batch, false, whole_body},
        {"GET", "/v1/executions", scope::read, &api::list_executions, true},
        {"GET", "/v1/executions/{id}", scope::read, &api::get_execution, true},
        {"DELETE", "/v1/executions/{id}", scope::run, &api::delete_execution},
        {"POST", "/v1/executions/{id}/cancel", scope::run, &api::cancel_execution},
        {"POST", "/v1/executions/{id}/signal", scope::run, &api::signal_execution},
        {"POST", "/v1/executions/{id}/stdin", scope::run, &api::write_stdin, false, whole_body},
        {"GET", "/v1/executions/{id}/input", scope::read, &api::get_input},
        {"GET", "/v1/executions/{id}/output", scope::read, &api::get_output},
        {"GET", "/v1/executions/{id}/logs", scope::read, &api::get_logs},
        {"GET", events_pattern, scope::read, &api::get_events, true, 0, net::body_mode::buffered, false, true},
        {"GET", "/v1/executions/{id}/stream", scope::read, &api::stream_execution, true, 0, net::body_mode::buffered, false, true},
        {"GET", "/v1/executions/{id}/artifacts", scope::read, &api::list_artifacts, true},
        {"GET", "/v1/executions/{id}/artifacts/{path...}", scope::read, &api::get_artifact, true, 0, net::body_mode::buffered, true, true},
        {"DELETE", "/v1/executions/{id}/artifacts/{path...}", scope::run, &api::delete_artifact},
        {"GET", "/v1/executions/{id}/files", scope::read, &api::get_files, true, 0, net::body_mode::buffered, true, true},
        {"GET", "/v1/connect", scope::run, &api::connect, true, 0, net::body_mode::buffered, false, true},
        {"POST", "/v1/skills", scope::run, &api::upload_skill, false, package_body, net::body_mode::streamed},
        {"GET", "/v1/skills", scope::read, &api::list_skills, true},
        {"POST", "/v1/skills/validate", scope::read, &api::validate_skill, false, package_body, net::body_mode::streamed},
        {"GET", "/v1/skills/{name}", scope::read, &api::get_skill_summary},
        {"DELETE", "/v1/skills/{name}", scope::run, &api::erase_skill},
        {"GET", "/v1/skills/{name}/versions", scope::read, &api::list_skill_revisions, true},
        {"GET", "/v1/skills/{name}/{version}", scope::read, &api::get_skill},
        {"DELETE", "/v1/skills/{name}/{version}", scope::run, &api::erase_skill_version},
        {"GET", "/v1/skills/{name}/{version}/package", scope::read, &api::download_skill},
        {"GET", "/v1/skills/{name}/{version}/files", scope::read, &api::list_skill_files},
        {"GET", "/v1/skills/{name}/{version}/files/{path...}", scope::read, &api::get_skill_file},
        {"POST", "/v1/skills/{name}/{version}/disable", scope::run, &api::disable_skill},
        {"POST", "/v1/skills/{name}/{version}/enable", scope::run, &api::enable_skill},
        {"GET", "/v1/images", scope::read, &api::list_images},
        {"POST", "/v1/images/pull", scope::run, &api::pull_image},
        {"POST", "/v1/images/load", scope::admin, &api::load_image, true, image_body, net::body_mode::streamed},
        {"DELETE", "/v1/images/{image...}", scope::admin, &api::remove_image},
        {"GET", "/v1/admin/images", scope::admin, &api::list_allowed_images},
        {"PUT", "/v1/admin/images/{image...}", scope::admin, &api::allow_image, true},
        {"DELETE", "/v1/admin/images/{image...}", scope::admin, &api::disallow_image, true},
        {"GET", "/v1/threads", scope::read, &api::list_threads, true},
        {"GET", "/v1/threads/{thread}", scope::read, &api::get_thread},
        {"PUT", "/v1/threads/{thread}", scope::run, &api::put_thread},
        {"DELETE", "/v1/threads/{thread}", scope::run, &api::delete_thread},
        {"POST", "/v1/threads/{thread}/checkpoints", scope::run, &api::save_checkpoint, false, state_body},
        {"GET", "/v1/threads/{thread}/checkpoints", scope::read, &api::list_checkpoints, true},
        {"GET", "/v1/threads/{thread}/checkpoints/{checkpoint}", scope::read, &api::get_checkpoint, true},
        {"DELETE", "/v1/threads/{thread}/checkpoints/{checkpoint}", scope::run, &api::delete_checkpoint},
        {"GET", "/v1/threads/{thread}/checkpoints/{checkpoint}/state", scope::read, &api::get_checkpoint_state},
        {"PUT", "/v1/threads/{thread}/checkpoints/{checkpoint}/pin", scope::run, &api::pin_checkpoint},
        {"DELETE", "/v1/threads/{thread}/checkpoints/{checkpoint}/pin", scope::run, &api::unpin_checkpoint},
        {"POST", "/v1/threads/{thread}/rollback", scope::run, &api::roll_back_thread},
        {"POST", "/v1/threads/{thread}/branch", scope::run, &api::branch_thread},
        {"GET", "/v1/threads/{thread}/diff", scope::read, &api::diff_thread, true},
        {"GET", "/v1/threads/{thread}/export", scope::read, &api::export_thread},
        {"POST", "/v1/threads/{thread}/import", scope::run, &api::import_thread, false, thread_body, net::body_mode::streamed},
        {"POST", "/v1/tickets", scope::read, &api::create_ticket},
        {"GET", "/v1/languages", scope::read, &api::get_languages},
        {"GET", "/v1/runtimes", scope::read, &api::get_runtimes},
        {"GET", "/v1/stats", scope::read, &api::get_stats},
        {"GET", "/health", std::nullopt, &api::get_health},
        {"GET", "/ready", std::nullopt, &api::get_ready},
        {"GET", "/openapi.json", std::nullopt, &api::get_openapi},
    });
};

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

api::api(api_services services) : use_(std::move(services)), ended_(use_.executions.removals())
{
    if (use_.threads != nullptr)
        latest_.emplace(use_.threads->changes());
    for (std::size_t i = 0; i < route_table::routes.size(); ++i)
        router_.add(route_table::routes[i].method, route_table::routes[i].pattern, i);
}

std::vector<std::string> api::route_names()
{
    std::vector<std::string> names;
    for (const auto& each : route_table::routes)
        names.push_back(std::string(each.method) + " " + std::string(each.pattern));
    for (auto& name : names)    // OpenAPI has no syntax for a capture of many segments
        if (const auto dots = name.find("...}"); dots != std::string::npos)
            name.erase(dots, 3);
    return names;
}

net::body_mode api::body_mode_of(const net::request& head) const
{
    const auto match = router_.match(head.method, head.path);
    return match.kind == net::match_kind::found ? route_table::routes[match.route].body : net::body_mode::buffered;
}

std::uint64_t api::body_limit(const net::request& head) const
{
    const auto match = router_.match(head.method, head.path);
    if (match.kind != net::match_kind::found)
        return small_body;
    const auto bytes = route_table::routes[match.route].body_bytes;
    if (bytes == route_table::package_body)
        return static_cast<std::uint64_t>(use_.config.skills.max_package_bytes) + upload_overhead_bytes;
    if (bytes == route_table::image_body)
        return static_cast<std::uint64_t>(use_.config.images.max_load_bytes);
    if (bytes == route_table::state_body)
        return static_cast<std::uint64_t>(use_.config.threads.max_state_bytes) / 3 * 4 + wire::most_beside_state;
    if (bytes == route_table::thread_body)
        return static_cast<std::uint64_t>(use_.config.threads.max_import_bytes);
    return bytes == 0 ? small_body : bytes;
}

task<> api::handle(net::exchange& one)
{
    auto match = router_.match(one.request().method, one.request().path);
    const auto kind = match.kind;
    const auto* to = kind == net::match_kind::found ? &route_table::routes[match.route] : nullptr;
    const auto allow = match.allow;
    auto call = std::make_shared<http::call>(one, std::move(match));
    const auto& asked = one.request();
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

task<> api::answer_preflight(call_ptr one, std::string methods)
{
    if (!use_.pages.is_allowed(one->request()))
        return one->fail({errc::forbidden, "pages of this origin may not use the server: add the origin to http.allowed_origins"});
    return one->exchange().respond(preflight_answer(std::move(methods)));
}

task<> api::answer(call_ptr one, const route* to)
{
    std::optional<error> broken;
    try {
        co_await answer_route(one, to);
    } catch (const storage_error& failure) {
        broken = refusal_of(failure);
        if (!broken)
            throw;
        use_.log.error("the database cannot take more now", {{"what", failure.what()}});
    }
    if (broken)
        co_await one->fail(std::move(*broken));
}

task<> api::answer_route(call_ptr one, const route* to)
{
    if (to->needs) {
        const bool is_signed = to->by_signature && !presents_key(one->request()) && has_grant(one->request().query);
        const bool is_stream = to->pattern == events_pattern;
        auto stream = is_stream ? std::string(one->capture("id")) : std::string();
        auto asking = is_signed ? authenticate_signed(one) : authenticate(&one->request(), to, std::move(stream));
        auto who = co_await std::move(asking);
        if (who.has_error()) {
            co_await one->fail(who.error());
            co_return;
        }
        one->who = std::move(*who);
        if (!is_signed)
            one->end_with_key(use_.keys);
        // A tenant at its connection limit may still cancel and delete. Clients with signed URLs have a limit of their own.
        const auto trusted = one->exchange().trust((is_signed ? "signed by " : "") + one->tenant().str());
        if (trusted.has_error() && to->method != "DELETE" && !to->pattern.ends_with("/cancel")) {
            co_await one->fail(trusted.error());
            co_return;
        }
        if (!allows(one->who, *to->needs)) {
            error lacking{errc::forbidden, "this key lacks the scope \"" + std::string(scope_word(*to->needs)) + "\""};
            co_await one->fail(std::move(lacking));
            co_return;
        }
    }
    auto known = to->has_query ? result<void>() : wire::parse_no_query(one->request().query);
    const bool is_json = to->body == net::body_mode::streamed || may_be_json(one->request());    // routes check streamed types
    if (known.has_value() && !is_json)
        known = error{
            errc::unsupported_media_type, "the body must be JSON without a content encoding: send \"Content-Type: application/json\""};
    if (known.has_error()) {
        co_await one->fail(known.error());
        co_return;
    }
    if (to->needs) {
        const auto bytes = std::min<std::size_t>(one->request().body.size(), small_body);    // workers parse a larger body
        co_await wait_for_turn(use_.texts, one->tenant(), io_turns::kind::request, bytes);
    }
    co_await (this->*to->answer)(one);
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
    if (ticket && !to->by_ticket)
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

}    // namespace caisson::http
