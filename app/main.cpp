#include "app/cli/cli.hpp"
#include "app/server/server.hpp"

int main(int argc, char** argv)
{
    const std::vector<std::string> args(argv + (argc > 0 ? 1 : 0), argv + argc);
    const caisson::cli::server_hooks hooks{
        &caisson::serve, &caisson::probe_runtimes, &caisson::find_dead_instances, &caisson::find_foreign_containers};
    return caisson::cli::run_cli(args, hooks);
}
