#pragma once

#include "app/cli/client_session.hpp"
#include "app/cli/exit_status.hpp"
#include "app/cli/verbs.hpp"

namespace caisson::cli {

/// Runs what `work(client_session*)` gives with a session for the server that `options.client` names.
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
