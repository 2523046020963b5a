// caisson-launch does what posix_spawn cannot, then becomes the requested program, or starts it in a sandbox that it makes. The server
// starts it, so that the server itself never forks and never changes its user: once per process, or once with --serve, which forks for
// each.

#include "app/launch/fork_server.hpp"
#include "app/launch/launch.hpp"
#include "app/launch/steps.hpp"

#include <cstring>

int main(int argc, char** argv, char** environment)
{
    caisson::launch::give_way_without_memory();
    if (argc == 2 && std::strcmp(argv[1], "--serve") == 0)
        return caisson::launch::serve(argv);
    caisson::launch::launch(argc, argv, environment);
}
