#include "bench/run_groups.hpp"

#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <thread>

namespace caisson::bench {

namespace {

constexpr cgroup_limits limits{.memory_bytes = 512 << 20, .pids = 256, .cpu_milli = 1'000};

void check(const result<void>& done)
{
    if (done.has_error())
        throw std::runtime_error(done.error().detail);
}

/// In the child: system calls only.
[[noreturn]] void become(const std::vector<unique_fd>& joins, char* const* argv)
{
    char* environment[] = {nullptr};
    for (const auto& each : joins)
        if (::write(each.get(), "0", 1) != 1)
            ::_exit(126);
    ::execve(argv[0], argv, environment);
    ::_exit(127);
}

}    // namespace

run_groups::run_groups()
    : tree_(std::make_shared<system_cgroup_io>(), cgroup_options_of_this_process("bench-" + std::to_string(::getpid())))
{
    tree_.prepare();
    if (tree_.root().members().empty())
        throw std::runtime_error("no control groups can be made here: " + tree_.refusal());
}

run_groups::~run_groups() { tree_.release(); }

control_group run_groups::make()
{
    auto group = tree_.root().child(std::to_string(made_++));
    check(group.make());
    check(group.limit(limits));
    return group;
}

pid_t run_groups::start(control_group& group, const std::vector<std::string>& argv)
{
    const auto joins = group.open_for_join();
    if (joins.has_error())
        throw std::runtime_error(joins.error().detail);
    std::vector<char*> pointers;
    for (const auto& argument : argv)
        pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0)
        become(*joins, pointers.data());
    if (child < 0)
        throw std::runtime_error("fork failed");
    return child;
}

void run_groups::remove(control_group& group)
{
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (!group.try_remove()) {
        if (std::chrono::steady_clock::now() > until)
            throw std::runtime_error("a control group cannot be removed");
        std::this_thread::yield();
    }
}

}    // namespace caisson::bench
