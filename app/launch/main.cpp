// caisson-launch: does what posix_spawn cannot, then becomes the program it was started for, or starts that in a sandbox that it makes.
// The server starts it, so that the server itself never forks and never has another user's rights.

#include "app/launch/fail.hpp"
#include "app/launch/first_process.hpp"
#include "app/launch/root.hpp"
#include "app/launch/steps.hpp"
#include "app/launch/trees.hpp"
#include "app/launch/views.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char** argv, char** environment)
{
    using namespace caisson::launch;
    const options wanted = parse_options(argc, argv);
    ::umask(022);
    join_groups(wanted);
    enter_namespaces(wanted);
    const opened_trees trees = open_trees(wanted);
    mount_private_tmpfs(wanted);
    make_views(wanted);
    mount_trees(wanted, trees);
    set_limits(wanted);
    if (wanted.makes_sandbox()) {
        enter_root(wanted);
        run_first_process(wanted, environment);
    }
    become_user(wanted);
    ::execveat(wanted.exec_fd, "", wanted.argv, environment, AT_EMPTY_PATH);
    fail("execve");
}
