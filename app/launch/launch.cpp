#include "app/launch/launch.hpp"

#include "app/launch/fail.hpp"
#include "app/launch/first_process.hpp"
#include "app/launch/root.hpp"
#include "app/launch/steps.hpp"
#include "app/launch/trees.hpp"
#include "app/launch/views.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson::launch {

void launch(int argc, char** argv, char** environment)
{
    const options wanted = parse_options(argc, argv);
    ::umask(0);    // new files get exactly the modes that are passed
    join_groups(wanted);
    enter_namespaces(wanted);
    const opened_trees trees = open_trees(wanted);
    mount_private_tmpfs(wanted);
    if (wanted.makes_sandbox())
        mount_root(wanted);
    make_views(wanted);
    mount_trees(wanted, trees);
    set_limits(wanted);
    ::umask(022);
    if (wanted.makes_sandbox()) {
        enter_root(wanted);
        run_first_process(wanted, environment);
    }
    become_user(wanted);
    ::execveat(wanted.exec_fd, "", wanted.argv, environment, AT_EMPTY_PATH);
    fail("execve");
}

}    // namespace caisson::launch
