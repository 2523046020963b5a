#include "app/agent/exec_image.hpp"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr std::string_view default_path = "/bin:/usr/bin";    // as execvpe(3)
char shell_path[] = "/bin/sh";

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

const std::string* named_path(const protocol::spawn_request& request)
{
    for (const auto& [name, value] : request.env)
        if (name == "PATH")
            return &value;
    return nullptr;
}

/// The agent's own PATH, which in a container is the image's; may be empty.
std::string_view own_path()
{
    const char* const value = std::getenv("PATH");
    return value == nullptr ? std::string_view() : std::string_view(value);
}

std::string_view path_of(const protocol::spawn_request& request)
{
    if (const auto* named = named_path(request))
        return *named;
    return own_path().empty() ? default_path : own_path();
}

std::vector<std::string> places_of(const protocol::spawn_request& request)
{
    const std::string& name = request.argv.front();
    if (name.empty() || name.find('/') != std::string::npos)
        return {name};
    std::vector<std::string> places;
    std::string_view rest = path_of(request);
    for (;;) {
        const auto colon = rest.find(':');
        std::string place(rest.substr(0, colon));
        if (!place.empty())    // an empty entry is the working directory
            place += '/';
        places.push_back(place + name);
        if (colon == std::string_view::npos)
            return places;
        rest.remove_prefix(colon + 1);
    }
}

bool is_elsewhere(int code) { return code == ENOENT || code == ENOTDIR || code == ESTALE || code == ENODEV || code == ETIMEDOUT; }

}    // namespace

exec_image::exec_image(const protocol::spawn_request& request) : paths_(places_of(request))
{
    for (const auto& each : request.argv) {
        valid_ = valid_ && !has_nul(each);
        argv_.push_back(const_cast<char*>(each.c_str()));
    }
    argv_.push_back(nullptr);
    shell_argv_ = {shell_path, nullptr};
    shell_argv_.insert(shell_argv_.end(), argv_.begin() + 1, argv_.end());
    variables_.reserve(request.env.size() + 1);
    for (const auto& [name, value] : request.env) {
        valid_ = valid_ && !has_nul(name) && !has_nul(value) && name.find('=') == std::string::npos;
        variables_.push_back(name + '=' + value);
        envp_.push_back(variables_.back().data());
    }
    if (named_path(request) == nullptr && !own_path().empty()) {
        variables_.push_back("PATH=" + std::string(own_path()));
        envp_.push_back(variables_.back().data());
    }
    envp_.push_back(nullptr);
    valid_ = valid_ && !has_nul(request.cwd);
}

int exec_image::exec()
{
    int code = ENOENT;
    for (auto& path : paths_) {
        ::execve(path.c_str(), argv_.data(), envp_.data());
        if (errno == ENOEXEC)
            return exec_by_shell(path.c_str());
        if (errno == EACCES)
            code = EACCES;
        else if (!is_elsewhere(errno))
            return errno;
    }
    return code;
}

int exec_image::exec_by_shell(const char* path)
{
    shell_argv_[1] = const_cast<char*>(path);
    ::execve(shell_path, shell_argv_.data(), envp_.data());
    return errno;
}

}    // namespace caisson::agent
