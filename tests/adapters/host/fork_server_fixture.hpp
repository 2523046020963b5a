#pragma once

#include "adapters/host/fork_server.hpp"
#include "adapters/host/process.hpp"
#include "tests/adapters/host/scratch_directory.hpp"
#include "tests/support/run_task.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace caisson::testing {

inline std::string text_of(const std::string& path)
{
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// caisson-launch --serve, and shells that its children become.
class ForkServer : public ::testing::Test {
protected:
    spawn_options order(const std::string& command)
    {
        output.reset(::open((scratch.path() + "/out").c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
        shell.reset(::open("/bin/sh", O_PATH | O_CLOEXEC));
        spawn_options wanted{.path = launch_path, .argv = {"caisson-launch"}, .environment = {"A=b"}, .descriptors = {}};
        for (const int fd : {null.get(), output.get(), output.get()})
            wanted.descriptors.add(fd);
        wanted.argv.emplace_back("--exec-fd");
        wanted.argv.push_back(std::to_string(wanted.descriptors.add(shell.get())));
        wanted.argv.insert(wanted.argv.end(), {"--", "sh", "-c", command});
        return wanted;
    }
    int run(const spawn_options& wanted)
    {
        auto process = forks->spawn(wanted);
        if (process.has_error())
            ADD_FAILURE() << process.error().detail;
        return process.has_error() ? -1 : run_task(context, process->wait()).value_or(-1);
    }
    std::string text() const { return text_of(scratch.path() + "/out"); }

    /// Those of this process.
    static std::vector<pid_t> servers()
    {
        std::vector<pid_t> found;
        for (const pid_t each : children_of(::getpid()))
            if (text_of("/proc/" + std::to_string(each) + "/cmdline").find("--serve") != std::string::npos)
                found.push_back(each);
        return found;
    }
    /// How often it occurs in what a process may write to.
    static std::size_t count_in_memory(pid_t pid, const std::string& what)
    {
        std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
        const unique_fd memory(::open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
        std::size_t count = 0;
        for (std::string line; std::getline(maps, line);) {
            std::size_t begin = 0;
            std::size_t end = 0;
            char dash = 0;
            std::string rights;
            std::istringstream(line) >> std::hex >> begin >> dash >> end >> rights;
            if (rights.find('w') == std::string::npos)
                continue;
            std::string bytes(end - begin, '\0');
            if (::pread(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(begin)) <= 0)
                continue;
            for (auto at = bytes.find(what); at != bytes.npos; at = bytes.find(what, at + 1))
                ++count;
        }
        return count;
    }

    /// What its descriptors lead to.
    static std::multiset<std::string> descriptors_of(pid_t pid)
    {
        std::multiset<std::string> found;
        for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd"))
            found.insert(std::filesystem::read_symlink(entry.path()));
        return found;
    }

    const std::string launch_path = std::string(CAISSON_BINARY_DIR) + "/caisson-launch";
    scratch_directory scratch;
    asio::io_context context;
    unique_fd null{::open("/dev/null", O_RDWR | O_CLOEXEC)};
    unique_fd output;
    unique_fd shell;
    std::optional<fork_server> forks{std::in_place};
};

}    // namespace caisson::testing
