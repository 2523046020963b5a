// GET /v1/skills/{name}/{version}/files and …/files/{path}.

#include "adapters/net/ranges.hpp"
#include "app/doors/http/piece_stream.hpp"
#include "app/doors/rest/artifacts/artifact_files.hpp"
#include "app/doors/rest/skills/skills_door.hpp"
#include "app/skills/package_files.hpp"
#include "app/wire/error_view.hpp"
#include "app/wire/skill_view.hpp"
#include "core/async/offload.hpp"
#include "core/files/media_types.hpp"

namespace caisson::http {

namespace {

using tree_ptr = std::shared_ptr<const skill_tree>;

/// A file being sent; `tree` keeps its package unpacked meanwhile.
struct sent_file {
    tree_ptr tree;
    package_file content;
};

/// The unpacked package of the path. `use` outlives the call.
task<result<std::pair<skill_revision, tree_ptr>>> tree_of(const api_services* use, call_ptr call)
{
    auto row = co_await use->registry->show(call->tenant(), std::string(call->capture("name")), std::string(call->capture("version")));
    if (row.has_error())
        co_return row.error();
    if (use->trees == nullptr)
        co_return error{errc::gone, "this server runs no skills"};
    auto tree = co_await use->trees->open(call->tenant(), row->digest);
    if (tree.has_error())
        co_return tree.error();
    co_return std::pair(std::move(*row), std::move(*tree));
}

net::response beyond_file(const net::content_plan& plan, std::int64_t size_bytes, const std::string& request_id)
{
    net::response answer;
    answer.status = plan.status;
    answer.fields = plan.fields;
    if (plan.status == 416) {
        const error wrong{errc::bad_request, "the range lies beyond the file, which has " + std::to_string(size_bytes) + " bytes"};
        answer.fields.set("Content-Type", json_type);
        answer.body = wire::error_json(wrong, request_id);
    }
    return answer;
}

}    // namespace

task<> skills_door::list_skill_files(call_ptr call)
{
    auto found = co_await tree_of(&use_, call);
    if (found.has_error()) {
        co_await call->fail(found.error());
        co_return;
    }
    auto listing = offload(*use_.work, [tree = found->second] { return list_package(tree->path()); });
    auto files = co_await std::move(listing);
    if (files.has_error())
        co_await call->fail(files.error());
    else
        co_await call->answer(200, wire::skill_files_json(found->first, *files));
}

task<> skills_door::get_skill_file(call_ptr call)
{
    auto found = co_await tree_of(&use_, call);
    if (found.has_error()) {
        co_await call->fail(found.error());
        co_return;
    }
    const std::string path(call->capture("path"));
    auto opening = offload(*use_.work, [tree = found->second, path] { return open_package_file(tree->path(), path); });
    auto opened = co_await std::move(opening);
    if (opened.has_error()) {
        co_await call->fail(opened.error());
        co_return;
    }
    const auto size = opened->size_bytes;
    auto plan = net::plan_content(call->request(), static_cast<std::uint64_t>(size), use_.digest(found->first.digest + "/" + path));
    if (plan.status == 304 || plan.status == 416) {
        co_await call->exchange().respond(beyond_file(plan, size, call->request().request_id));
        co_return;
    }
    net::response head;
    head.status = plan.status;
    head.fields = std::move(plan.fields);
    set_safe(head.fields, media_type_of(path), path.substr(path.rfind('/') + 1));
    const auto sent = std::make_shared<const sent_file>(sent_file{found->second, std::move(*opened)});
    piece_reader read = [work = use_.work, sent](std::uint64_t offset, std::size_t most) -> task<result<shared_bytes>> {
        return offload(*work, [sent, offset, most] { return read_package_file(sent->content.file, offset, most); });
    };
    const byte_range range{plan.offset, plan.length};
    co_await answer_in_pieces(call, std::move(head), range, std::move(read));
}

}    // namespace caisson::http
