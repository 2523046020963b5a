#include "app/cli/exit_status.hpp"
#include "app/cli/verbs.hpp"

namespace caisson::cli {

int run_verb(const serve_options& options, const verb_context& context)
{
    const config_sources sources{context.host, options.config_file, context.environment, options.flags};
    if (options.show_settings) {
        print(describe_settings(sources));
        return exit_status::ok;
    }
    const auto config = load_config(sources);
    if (config.has_error())
        return complain(config.error(), exit_status::usage);
    return context.hooks->serve(*config);
}

}    // namespace caisson::cli
