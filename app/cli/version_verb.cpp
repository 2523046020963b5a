#include "app/cli/exit_status.hpp"
#include "app/cli/verbs.hpp"

namespace caisson::cli {

int run_verb(const version_options&, const verb_context&)
{
    print("caisson " CAISSON_VERSION "\n");
    return exit_status::ok;
}

}    // namespace caisson::cli
