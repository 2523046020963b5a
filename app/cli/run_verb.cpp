#include "app/cli/attended_run.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/run_request.hpp"
#include "app/cli/verbs.hpp"

#include <boost/json/serialize.hpp>

namespace caisson::cli {

namespace {

attended_options attended(const run_options& options)
{
    attended_options out;
    out.client = options.client;
    out.collects = !options.collect.empty();
    out.pty = options.pty;
    out.forward_stdin = options.forward_stdin;
    out.detach = options.detach;
    out.stats = options.stats;
    out.quiet = options.quiet;
    return out;
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
    auto body = boost::json::serialize(run_request(options, std::move(*inputs)));
    return session.run(attended_run(&session, attended(options), std::move(body)));
}

}    // namespace caisson::cli
