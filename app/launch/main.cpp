// caisson-launch: does what posix_spawn cannot, then becomes the program it was started for, or starts that in a sandbox that it makes.
// The server starts it, so that the server itself never forks and never has another user's rights: for each process, or once, with
// --serve, to fork for each.

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
