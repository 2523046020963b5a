#include "adapters/host/process_spawner.hpp"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

namespace caisson {

namespace {

error spawn_error(const std::string& step, int code)
{
    return error{errc::runtime_unavailable, "a process could not be started: " + step + ": " + std::strerror(code)};
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (const auto& text : texts)
        pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

/// Owns the two attribute objects of posix_spawn.
struct spawn_setup {
    spawn_setup()
    {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
    }
    ~spawn_setup()
    {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    spawn_setup(const spawn_setup&) = delete;
    spawn_setup& operator=(const spawn_setup&) = delete;

    void reset_signals_and_session()
    {
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&attributes, &none);
        ::posix_spawnattr_setsigdefault(&attributes, &all);
        ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    }

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

/// Duplicates to numbers above all numbers of the child, so that no dup2 there overwrites a descriptor still needed.
result<std::vector<unique_fd>> duplicate_above(const std::vector<int>& sources)
{
    std::vector<unique_fd> lifted;
    for (const int fd : sources) {
        lifted.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, static_cast<int>(sources.size())));
        if (!lifted.back())
            return spawn_error("descriptors", errno);
    }
    return lifted;
}

}    // namespace

result<process_handle> spawn_process(const spawn_options& options)
{
    auto lifted = duplicate_above(options.descriptors.sources());
    if (lifted.has_error())
        return lifted.error();
    spawn_setup setup;
    setup.reset_signals_and_session();
    int number = 0;
    for (const auto& fd : *lifted)
        ::posix_spawn_file_actions_adddup2(&setup.actions, fd.get(), number++);
    ::posix_spawn_file_actions_addclosefrom_np(&setup.actions, number);
    ::posix_spawn_file_actions_addchdir_np(&setup.actions, "/");

    auto argv = pointers_to(options.argv);
    auto environment = pointers_to(options.environment);
    pid_t pid = 0;
    const int failed = ::posix_spawn(&pid, options.path.c_str(), &setup.actions, &setup.attributes, argv.data(), environment.data());
    if (failed != 0)
        return spawn_error(options.path, failed);
    auto handle = process_handle::open_running(pid);
    if (handle)
        return std::move(*handle);
    const int code = errno;
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) { }
    return spawn_error("pidfd_open", code);
}

}    // namespace caisson
