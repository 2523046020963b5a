#include "app/cli/attended_run.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/skill_run_request.hpp"
#include "app/cli/verbs.hpp"

namespace caisson::cli {

namespace {

attended_options attended_skill(const skill_run_options& options)
{
    attended_options out;
    out.client = options.client;
    out.of_skill = true;
    out.collects = true;
    out.download = options.download;
    out.force = options.force;
    out.detach = options.detach;
    out.stats = options.stats;
    out.quiet = options.quiet;
    return out;
}

}    // namespace

int run_verb(const skill_run_options& options, const verb_context& context)
{
    auto access = resolve_access(options.client, context.environment);
    if (access.has_error())
        return complain(access.error(), exit_status::infrastructure);
    const auto input = read_skill_input(options);
    if (input.has_error())
        return complain(input.error(), exit_status::infrastructure);
    client_session session(std::move(*access));
    return session.run(attended_run(&session, attended_skill(options), skill_run_request(options, *input)));
}

}    // namespace caisson::cli
