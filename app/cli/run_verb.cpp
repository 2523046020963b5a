#include "app/cli/exit_status.hpp"
#include "app/cli/foreground_run.hpp"
#include "app/cli/run_key.hpp"
#include "app/cli/run_request.hpp"
#include "app/cli/verbs.hpp"

namespace caisson::cli {

namespace {

task<int> run(client_session* session, run_options options, boost::json::object body)
{
    auto created = co_await session->api().post_once("/v1/executions", std::move(body), new_run_key());
    if (created.has_error())
        co_return complain(created.error(), exit_status::infrastructure);
    const auto id = created->is_object() ? text_of(created->get_object(), "execution_id") : std::string();
    if (id.empty()) {
        complain("the server's answer has no execution_id");
        co_return exit_status::infrastructure;
    }
    if (!options.detach) {
        foreground_run attached(*session, std::move(options), id);
        co_return co_await attached.to_the_end();
    }
    if (options.client.output == output_format::json)
        print_json(*created);
    else
        print(id + "\n");
    co_return exit_status::ok;
}

}    // namespace

int run_verb(const run_options& options, const verb_context& context)
{
    auto access = resolve_access(options.client, context.environment);
    if (access.has_error())
        return complain(access.error(), exit_status::infrastructure);
    auto inputs = read_inputs(options);
    if (inputs.has_error())
        return complain(inputs.error(), exit_status::infrastructure);
    client_session session(std::move(*access));
    return session.run(run(&session, options, run_request(options, std::move(*inputs))));
}

}    // namespace caisson::cli
