// GET /v1/executions/{id}/artifacts…, DELETE of one artifact, GET …/files, and authentication by signed URL.

#include "adapters/net/ranges.hpp"
#include "app/doors/http/piece_stream.hpp"
#include "app/doors/http/sized_answer.hpp"
#include "app/doors/rest/artifacts/archive_stream.hpp"
#include "app/doors/rest/artifacts/artifact_files.hpp"
#include "app/doors/rest/artifacts/artifacts_door.hpp"
#include "app/wire/artifact_query.hpp"
#include "app/wire/error_view.hpp"
#include "core/files/url_signer.hpp"

namespace caisson::http {

namespace {

/// JSON bytes of one listed file, without its path. The path is in it three times.
constexpr std::size_t address_bytes = 1 << 10;

error not_ended() { return {errc::conflict, "the execution has not ended; its files are known when it has"}; }

error no_files(const execution_id& id) { return {errc::not_found, "the execution " + id.str() + " left no files, or they were deleted"}; }

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

archive_format format_of(wire::files_format wanted, const net::request& from)
{
    if (wanted != wire::files_format::by_accept)
        return wanted == wire::files_format::zip ? archive_format::zip : archive_format::tar_gz;
    return from.fields.has_token("Accept", "application/zip") ? archive_format::zip : archive_format::tar_gz;
}

/// The answer for 304 and 416.
net::response without_content(const net::content_plan& plan, const artifact_row& row, const std::string& request_id)
{
    net::response answer;
    answer.status = plan.status;
    answer.fields = plan.fields;
    if (plan.status == 416) {
        const error wrong{errc::bad_request, "the range lies beyond the file, which has " + std::to_string(row.size_bytes) + " bytes"};
        answer.fields.set("Content-Type", json_type);
        answer.body = wire::error_json(wrong, request_id);
    }
    return answer;
}

}    // namespace

/// The execution of the path, if it has ended.
task<result<execution_row>> artifacts_door::ended_execution(call_ptr call)
{
    const auto id = call->id();
    if (id.has_error())
        co_return id.error();
    auto row = co_await use_.executions.find(call->tenant(), *id);
    if (row.has_value() && !is_final(row->status))
        co_return not_ended();
    if (row.has_value() && (use_.artifacts == nullptr || use_.contents == nullptr || use_.signer == nullptr))
        co_return no_files(*id);
    co_return row;
}

/// The artifact of the path.
task<result<artifact_row>> artifacts_door::named_artifact(call_ptr call)
{
    auto row = co_await ended_execution(call);
    if (row.has_error())
        co_return row.error();
    auto found = co_await use_.artifacts->find(call->tenant(), row->id, std::string(call->capture("path")));
    if (found.has_error() && found.error().code == errc::not_found)
        co_return error{errc::not_found,
            "the execution " + row->id.str() + " has no artifact \"" + std::string(call->capture("path").substr(0, 256)) + "\""};
    co_return found;
}

task<> artifacts_door::list_artifacts(call_ptr call)
{
    auto query = wire::parse_artifacts_query(call->request().query);
    auto row = co_await ended_execution(call);
    if (auto wrong = first_error(query, row)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto rows =
        co_await use_.artifacts->list(call->tenant(), row->id, query->after, query->limit + 1);    // one more: is there a next page?
    auto key = co_await use_.signer->current();
    if (auto wrong = first_error(rows, key)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    std::optional<std::string> next;
    if (rows->size() > query->limit) {
        rows->resize(query->limit);
        next = wire::artifact_cursor(rows->back().path);
    }
    const auto base = use_.pages.base(call->request());
    std::size_t bytes = 0;
    for (const auto& each : *rows)
        bytes += address_bytes + each.path.size();
    auto write = [&] {
        std::vector<wire::artifact_item> items;
        for (const auto& each : *rows) {
            const auto grant = use_.signer->grant(*key, artifact_resource(each.execution, each.path), each.tenant);
            items.push_back({&each, artifact_url(base, each.execution, each.path, grant), grant.expires_at_ms});
        }
        return wire::artifact_list_json(items, next);
    };
    co_await answer_by_size(use_.texts, call, bytes, write);
}

task<> artifacts_door::get_artifact(call_ptr call)
{
    auto query = wire::parse_artifact_query(call->request().query);
    auto row = co_await named_artifact(call);
    if (auto wrong = first_error(query, row)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto plan = net::plan_content(call->request(), static_cast<std::uint64_t>(row->size_bytes), row->sha256);
    if (plan.status == 304 || plan.status == 416) {
        co_await call->exchange().respond(without_content(plan, *row, call->request().request_id));
        co_return;
    }
    net::response head;
    head.status = plan.status;
    head.fields = std::move(plan.fields);
    set_safe(head.fields, row->media_type, last_name(row->path));
    piece_reader read = [from = use_.contents, row = *row](std::uint64_t offset, std::size_t most) {
        return from->read(row.tenant, row.content, static_cast<std::int64_t>(offset), most);
    };
    const byte_range range{plan.offset, plan.length};
    co_await answer_in_pieces(call, std::move(head), range, std::move(read));
}

task<> artifacts_door::delete_artifact(call_ptr call)
{
    auto row = co_await named_artifact(call);
    if (row.has_error()) {
        co_await call->fail(row.error());
        co_return;
    }
    auto content = co_await use_.artifacts->erase(call->tenant(), row->execution, row->path);
    if (content.has_error()) {
        co_await call->fail(content.error());
        co_return;
    }
    std::vector<content_id> erased{*content};
    auto done = co_await use_.contents->erase(call->tenant(), std::move(erased));
    if (done.has_error())    // nothing references it any more: the janitor removes it
        use_.log.warning("the content of a deleted artifact could not be removed yet", {{"what", done.error().detail}});
    net::response answer;
    answer.status = 204;
    co_await call->exchange().respond(std::move(answer));
}

task<> artifacts_door::get_files(call_ptr call)
{
    auto query = wire::parse_files_query(call->request().query);
    auto row = co_await ended_execution(call);
    if (auto wrong = first_error(query, row)) {
        co_await call->fail(std::move(*wrong));
        co_return;
    }
    auto first = co_await use_.artifacts->list(call->tenant(), row->id, "", archive_page);
    if (first.has_error() || first->empty()) {
        auto why = first.has_error() ? first.error() : no_files(row->id);
        co_await call->fail(std::move(why));
        co_return;
    }
    const auto format = format_of(*query, call->request());
    net::response head;
    set_safe(head.fields, media_type_of(format), row->id.str() + std::string(suffix_of(format)));
    head.fields.set("Vary", "Accept");
    auto out = co_await call->begin_stream(std::move(head));
    if (call->request().method != "HEAD") {
        archive_source from{*use_.artifacts, *use_.contents, *use_.work, use_.log, [call] { return call->exchange().share_bytes(); }};
        const bool whole = co_await send_archive(std::move(from), out.get(), std::move(*first), format);
        if (!whole)
            co_return;    // without finish() the client sees a cut answer
    }
    co_await out->finish();
}

}    // namespace caisson::http
