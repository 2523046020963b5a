#include "adapters/net/percent.hpp"
#include "adapters/net/ranges.hpp"
#include "app/doors/http/piece_stream.hpp"
#include "app/doors/http/sized_answer.hpp"
#include "app/doors/rest/skills/skill_upload.hpp"
#include "app/doors/rest/skills/skills_door.hpp"
#include "app/wire/control_request.hpp"
#include "app/wire/error_view.hpp"
#include "app/wire/skill_query.hpp"
#include "app/wire/skill_view.hpp"
#include "core/images/image_service.hpp"

namespace caisson::http {

namespace {

/// Typical JSON bytes of a listed version; twice as many with the longest description.
constexpr std::size_t skill_bytes = 4 << 10;

/// Sets the next page's cursor as header fields: the body is a bare array.
void set_next(call& call, const std::string& cursor)
{
    std::string target = call.request().path + "?cursor=" + cursor;
    for (const auto& [name, value] : call.request().query)
        if (name != "cursor" && name != "ticket")
            target += "&" + name + "=" + net::percent_encode(value);
    call.extra.set("X-Next-Cursor", cursor);
    call.extra.set("Link", "<" + target + ">; rel=\"next\"");
}

/// Receives the package of a request. `use` outlives the call.
task<result<std::shared_ptr<package_upload>>> take_package(const api_services* use, call_ptr call)
{
    auto known = check_package_type(call->request());
    if (known.has_error())
        co_return known.error();
    auto images = co_await use->images->allowed_for(call->tenant(), call->who.tenant_name);
    if (images.has_error())
        co_return images.error();
    auto begun = co_await use->registry->begin_upload(call->tenant(), std::move(*images));
    if (begun.has_error())
        co_return begun.error();
    std::shared_ptr<package_upload> upload = std::move(*begun);
    auto received = co_await receive_package(call, upload);
    if (received.has_error())
        co_return received.error();
    co_return upload;
}

std::string file_name(const skill_revision& row)
{
    return row.manifest.name + "-" + row.manifest.version + (row.format == "zip" ? ".zip" : ".tar.gz");
}

net::response head_of(const skill_revision& row, net::content_plan plan)
{
    net::response head;
    head.status = plan.status;
    head.fields = std::move(plan.fields);
    head.fields.set("Content-Type", row.format == "zip" ? "application/zip" : "application/gzip");
    head.fields.set("Content-Disposition", "attachment; filename=\"" + file_name(row) + "\"");
    head.fields.set("X-Content-Type-Options", "nosniff");
    head.fields.set("Cache-Control", "no-store");
    return head;
}

task<> refuse_range(call_ptr call, skill_revision row, net::content_plan plan)
{
    const error beyond{errc::bad_request,
        "the range begins behind the end of the package, which has " + std::to_string(row.size_bytes) + " bytes",
        {{"Range", "begins behind the end"}}};
    net::response answer;
    answer.status = plan.status;
    answer.fields = std::move(plan.fields);
    answer.fields.set("Content-Type", json_type);
    answer.body = wire::error_json(beyond, call->request().request_id);
    co_await call->exchange().respond(std::move(answer));
}

}    // namespace

task<> skills_door::upload_skill(call_ptr call)
{
    auto upload = co_await take_package(&use_, call);
    if (upload.has_error()) {
        co_await call->fail(upload.error());
        co_return;
    }
    auto made = co_await use_.registry->store(call->tenant(), std::move(*upload));
    if (made.has_error()) {
        co_await call->fail(made.error());
        co_return;
    }
    const auto& said = made->revision.manifest;
    call->extra.set("Location", "/v1/skills/" + net::percent_encode(said.name) + "/" + net::percent_encode(said.version));
    co_await call->answer(201, wire::skill_created_json(*made));
}

task<> skills_door::validate_skill(call_ptr call)
{
    auto upload = co_await take_package(&use_, call);
    if (upload.has_error()) {
        co_await call->fail(upload.error());
        co_return;
    }
    auto found = co_await (*upload)->inspect();
    if (found.has_error())
        co_await call->fail(found.error());
    else
        co_await call->answer(200, wire::skill_valid_json(*found));
}

task<> skills_door::list_skills(call_ptr call)
{
    auto query = wire::parse_skill_list_query(call->request().query);
    if (query.has_error()) {
        co_await call->fail(query.error());
        co_return;
    }
    const auto limit = query->limit++;    // one more tells whether there is a next page
    auto rows = co_await use_.registry->list(call->tenant(), std::move(*query));
    if (rows.has_error()) {
        co_await call->fail(rows.error());
        co_return;
    }
    if (rows->size() > limit) {
        rows->resize(limit);
        set_next(*call, wire::skill_list_cursor(rows->back()));
    }
    auto write = [&] { return wire::skill_list_json(*rows); };
    co_await answer_by_size(use_.texts, call, rows->size() * skill_bytes, write);
}

task<> skills_door::get_skill_summary(call_ptr call)
{
    auto found = co_await use_.registry->summary(call->tenant(), std::string(call->capture("name")));
    if (found.has_error()) {
        co_await call->fail(found.error());
        co_return;
    }
    auto write = [&] { return wire::skill_summary_json(*found); };
    co_await answer_by_size(use_.texts, call, found->versions.size() * skill_bytes, write);
}

task<> skills_door::list_skill_revisions(call_ptr call)
{
    auto query = wire::parse_revisions_query(call->request().query);
    if (query.has_error()) {
        co_await call->fail(query.error());
        co_return;
    }
    auto rows =
        co_await use_.registry->revisions(call->tenant(), std::string(call->capture("name")), std::move(query->after), query->limit + 1);
    if (rows.has_error()) {
        co_await call->fail(rows.error());
        co_return;
    }
    if (rows->size() > query->limit) {
        rows->resize(query->limit);
        set_next(*call, wire::revisions_cursor(rows->back()));
    }
    auto write = [&] { return wire::skill_revisions_json(*rows); };
    co_await answer_by_size(use_.texts, call, rows->size() * skill_bytes, write);
}

task<> skills_door::get_skill(call_ptr call)
{
    auto row = co_await use_.registry->show(call->tenant(), std::string(call->capture("name")), std::string(call->capture("version")));
    if (row.has_error())
        co_await call->fail(row.error());
    else
        co_await call->answer(200, wire::skill_json(*row));
}

task<> skills_door::download_skill(call_ptr call)
{
    auto row = co_await use_.registry->show(call->tenant(), std::string(call->capture("name")), std::string(call->capture("version")));
    if (row.has_error()) {
        co_await call->fail(row.error());
        co_return;
    }
    auto plan = net::plan_content(call->request(), static_cast<std::uint64_t>(row->size_bytes), row->digest);
    if (plan.status == 416) {
        co_await refuse_range(call, *row, std::move(plan));
        co_return;
    }
    const byte_range range{plan.offset, plan.length};
    auto head = head_of(*row, std::move(plan));
    piece_reader read = [from = use_.registry, row = std::move(*row)](
                            std::uint64_t offset, std::size_t most) { return from->read(row, static_cast<std::int64_t>(offset), most); };
    co_await answer_in_pieces(call, std::move(head), range, std::move(read));
}

task<> skills_door::erase_skill_version(call_ptr call)
{
    auto gone = co_await use_.registry->erase(call->tenant(), std::string(call->capture("name")), std::string(call->capture("version")));
    if (gone.has_error())
        co_await call->fail(gone.error());
    else
        co_await call->no_content();
}

task<> skills_door::erase_skill(call_ptr call)
{
    auto gone = co_await use_.registry->erase(call->tenant(), std::string(call->capture("name")), "");
    if (gone.has_error())
        co_await call->fail(gone.error());
    else
        co_await call->no_content();
}

task<> skills_door::disable_skill(call_ptr call) { return switch_skill(std::move(call), true); }

task<> skills_door::enable_skill(call_ptr call) { return switch_skill(std::move(call), false); }

task<> skills_door::switch_skill(call_ptr call, bool disabled)
{
    const auto body = wire::parse_no_fields(call->request().body);
    if (body.has_error()) {
        co_await call->fail(body.error());
        co_return;
    }
    auto row = co_await use_.registry->set_disabled(
        call->tenant(), std::string(call->capture("name")), std::string(call->capture("version")), disabled);
    if (row.has_error())
        co_await call->fail(row.error());
    else
        co_await call->answer(200, wire::skill_json(*row));
}

}    // namespace caisson::http
