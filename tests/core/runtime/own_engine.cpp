#include "tests/core/runtime/own_engine.hpp"

#include "adapters/engine/engine.hpp"
#include "adapters/host/process.hpp"
#include "adapters/host/remove_tree.hpp"
#include "core/async/deadline.hpp"
#include "tests/core/runtime/engine_image.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace caisson::testing {

namespace {

constexpr const char* variable = "CAISSON_TEST_ENGINE";
constexpr std::chrono::seconds patience{30};

}    // namespace

own_engine::own_engine() : directory_("/tmp/caisson-engine-XXXXXX"), outer_address_(test_engine_address())
{
    if (::mkdtemp(directory_.data()) == nullptr)
        throw std::runtime_error("no directory for an engine");
    start();
    ::setenv(variable, ("unix://" + directory_ + "/s").c_str(), 1);
}

own_engine::~own_engine()
{
    if (outer_address_)
        ::setenv(variable, outer_address_->c_str(), 1);
    try {
        if (pid_ <= 0)    // only an engine ends its containers
            start();
    } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
    }
    if (pid_ > 0) {
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
    }
    unmount_below(directory_);
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

void own_engine::kill()
{
    pid_t of_containerd = 0;
    const auto pid_file = directory_ + "/exec/containerd/containerd.pid";
    std::ifstream(pid_file) >> of_containerd;
    const auto containerd = process_handle::open_running(of_containerd);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
    if (containerd) {    // it goes with its engine; the next one must not take it for alive
        asio::io_context context;
        run_task(context, containerd->wait());
    }
    std::filesystem::remove(pid_file);
}

void own_engine::start()
{
    std::filesystem::remove(directory_ + "/pid");
    const std::vector<std::string> words{"dockerd", "--data-root", directory_ + "/data", "--exec-root", directory_ + "/exec", "--pidfile",
        directory_ + "/pid", "-H", "unix://" + directory_ + "/s", "--iptables=false", "--ip6tables=false", "--bridge=none"};
    std::vector<char*> argv;
    for (const auto& word : words)
        argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, (directory_ + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const int failed = ::posix_spawnp(&pid_, "dockerd", &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0)
        throw std::runtime_error("dockerd cannot be started");
    if (!answers())
        throw std::runtime_error("dockerd does not answer: " + log_end());
}

bool own_engine::answers() const
{
    asio::io_context context;
    system_timers time;
    docker::engine engine(context.get_executor(), time, {.address = "unix://" + directory_ + "/s"});
    const auto until = time.steady_now() + patience;
    while (time.steady_now() < until) {
        if (run_task(context, engine.info(until)).has_value())
            return true;
        run_task(context, time.wait_for(std::chrono::milliseconds(50)));
    }
    return false;
}

std::string own_engine::log_end() const
{
    constexpr std::size_t most = 1000;
    std::ostringstream all;
    all << std::ifstream(directory_ + "/log").rdbuf();
    const auto text = all.str();
    return text.substr(text.size() > most ? text.size() - most : 0);
}

}    // namespace caisson::testing
