#pragma once

#include "app/cli/client_session.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/verbs.hpp"

namespace caisson::cli {

/// `what`, with the execution's id added to "not found" if it lacks the id.
inline error of_execution(const std::string& id, error what)
{
    if (what.code == errc::not_found && what.detail.find(id) == std::string::npos)
        what.detail = id + ": " + what.detail;
    return what;
}

/// Runs the task from `work(client_session*)` with a session for the server in `options.client`.
template <class Options, class Work>
int with_session(const Options& options, const verb_context& context, Work work)
{
    auto access = resolve_access(options.client, context.environment);
    if (access.has_error())
        return complain(access.error(), exit_status::usage);
    client_session session(std::move(*access));
    return session.run(work(&session));
}

}    // namespace caisson::cli
