#include "app/cli/artifact_fetch.hpp"
#include "app/cli/interrupted.hpp"
#include "app/cli/skill_views.hpp"
#include "app/cli/with_session.hpp"
#include "core/async/deadline.hpp"

namespace caisson::cli {

namespace {

task<int> list_kept(client_session* session, artifact_list_options options, bool colours)
{
    auto items = co_await list_artifacts(&session->api(), options.id);
    if (items.has_error())
        co_return complain(of_execution(options.id, items.error()), exit_status::failed);
    if (options.client.output == output_format::json)
        print_json(*items);
    else
        print(artifacts_table(*items, colours));
    co_return exit_status::ok;
}

task<int> get(client_session* session, artifact_get_options options)
{
    auto work = options.path.empty() ? fetch_artifacts(session, options.id, options.target, options.force, options.quiet)
                                     : fetch_artifact(session, options.id, options.path, options.target, options.force, options.quiet);
    auto outcome = co_await race(std::move(work), interrupted(session->executor()));
    if (outcome.index() == 1) {
        complain("interrupted; files that were whole are there, no other");
        co_return exit_status::cancelled;
    }
    const auto& done = std::get<0>(outcome);
    if (done.has_error())
        co_return complain(of_execution(options.id, done.error()), exit_status::failed);
    if (options.path.empty() && !options.quiet)
        complain(fetched_files(*done, options.target));
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const artifact_list_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return list_kept(session, options, context.colours); });
}

int run_verb(const artifact_get_options& options, const verb_context& context)
{
    return with_session(options, context, [&](client_session* session) { return get(session, options); });
}

}    // namespace caisson::cli
