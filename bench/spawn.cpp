#include "bench/spawn.hpp"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace caisson::bench {

namespace {

/// File actions that need no allocation when there are none.
class file_actions {
public:
    explicit file_actions(int output) : used_(output != -1)
    {
        if (!used_)
            return;
        posix_spawn_file_actions_init(&actions_);
        posix_spawn_file_actions_adddup2(&actions_, output, 1);
    }
    ~file_actions()
    {
        if (used_)
            posix_spawn_file_actions_destroy(&actions_);
    }
    file_actions(const file_actions&) = delete;
    file_actions& operator=(const file_actions&) = delete;
    const posix_spawn_file_actions_t* get() const { return used_ ? &actions_ : nullptr; }

private:
    bool used_;
    posix_spawn_file_actions_t actions_{};
};

}    // namespace

pid_t start(const std::vector<std::string>& argv, int output)
{
    std::vector<char*> pointers;
    pointers.reserve(argv.size() + 1);
    for (const auto& argument : argv)
        pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    char* environment[] = {nullptr};
    const file_actions actions(output);
    pid_t child = 0;
    const int failed = ::posix_spawn(&child, argv.front().c_str(), actions.get(), nullptr, pointers.data(), environment);
    if (failed != 0)
        throw std::system_error(failed, std::system_category(), "posix_spawn " + argv.front());
    return child;
}

void finish(pid_t child)
{
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            throw std::system_error(errno, std::system_category(), "waitpid");
    if (status != 0)
        throw std::runtime_error("the program ended with wait status " + std::to_string(status));
}

}    // namespace caisson::bench
