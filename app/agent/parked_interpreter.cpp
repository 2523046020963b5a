#include "app/agent/parked_interpreter.hpp"

#include "app/agent/control_socket.hpp"
#include "app/agent/poller.hpp"
#include "core/protocol/frame.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr std::int64_t agree_within_ms = 500;
constexpr char agreed_word = 'Y';                        // from the program: it has its arguments and environment
constexpr char go_word = 'G';                            // from the agent
constexpr std::string_view no_cache = "/__pycache__";    // created as a file, so that Python writes no cache

std::string with_directory(std::string text, const std::string& directory)
{
    constexpr std::string_view mark = "{park}";
    if (const auto at = text.find(mark); at != std::string::npos)
        text.replace(at, mark.size(), directory);
    return text;
}

bool write_file(const std::string& path, std::string_view text)
{
    const unique_fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
    return file && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool is_named(std::string_view variable, std::string_view pattern)
{
    const auto name = variable.substr(0, variable.find('='));
    if (pattern.ends_with('*'))
        return name.starts_with(pattern.substr(0, pattern.size() - 1));
    return name == pattern;
}

/// The variables whose names match one of `patterns`, sorted.
std::vector<std::string> chosen(std::span<const std::string> environment, std::span<const std::string> patterns)
{
    std::vector<std::string> out;
    for (const auto& each : environment)
        if (std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return is_named(each, pattern); }))
            out.push_back(each);
    std::sort(out.begin(), out.end());
    return out;
}

void append_text(std::string& out, std::string_view text) { out.append(1, '\0').append(text); }

bool join_from_outside(pid_t pid, std::span<const unique_fd> join)
{
    const auto number = std::to_string(pid);
    return std::all_of(join.begin(), join.end(),
        [&](const auto& each) { return ::write(each.get(), number.data(), number.size()) == static_cast<ssize_t>(number.size()); });
}

/// Like set_limits() in child.cpp, for another process.
bool limit_from_outside(pid_t pid, const protocol::spawn_request& request)
{
    for (const auto& each : request.rlimits) {
        const auto resource = static_cast<__rlimit_resource>(each.resource);
        rlimit own{};
        if (::prlimit(pid, resource, nullptr, &own) != 0)
            return false;
        const auto value = std::min<rlim_t>(each.value, own.rlim_max);
        const rlimit limit{value, value};
        const bool is_so = own.rlim_cur == value && own.rlim_max == value;
        if (!is_so && ::prlimit(pid, resource, &limit, nullptr) != 0)
            return false;
    }
    return true;
}

}    // namespace

int parked_interpreter::start(const protocol::park_request& request, const child_place& place, int control, pid_t& pid)
{
    const int code = prepare(request);
    return code != 0 ? code : launch(place, control, pid);
}

/// Creates the directory with the hook, and checks the request.
int parked_interpreter::prepare(const protocol::park_request& request)
{
    request_ = request;
    if (request_.program.pty || request_.file_name.empty() || request_.file_name.find('/') != std::string::npos)
        return EINVAL;
    const exec_image own(request_.program);
    if (!own.valid())
        return EINVAL;
    fixed_ = chosen(own.environment(), request_.fixed);
    char pattern[] = "/tmp/.caisson-XXXXXX";
    if (::mkdtemp(pattern) == nullptr)
        return errno;
    directory_ = pattern;
    if (!write_file(directory_ + '/' + request_.file_name, request_.file_text) || !write_file(directory_ + std::string(no_cache), {}))
        return errno;
    request_.file_text = {};
    return 0;
}

int parked_interpreter::launch(const child_place& place, int control, pid_t& pid)
{
    auto request = request_.program;
    for (const auto& [name, value] : request_.hooks)
        request.env.emplace_back(name, with_directory(value, directory_));
    exec_image image(request);
    if (!image.valid())
        return EINVAL;
    if (const int code = open_pipes(stdio_))
        return code;
    child_program program;
    program.take(request, image);
    for (int i = 0; i < 3; ++i)
        program.stdio[i] = stdio_.child[i].get();
    program.control = control;
    program.closed_from = 4;
    child_outcome outcome;
    pid = start_child(place, program, outcome);
    for (auto& each : stdio_.child)
        each.reset();
    return outcome.code;
}

void parked_interpreter::remove_hook()
{
    if (directory_.empty())
        return;
    ::unlink((directory_ + '/' + request_.file_name).c_str());
    ::unlink((directory_ + std::string(no_cache)).c_str());
    ::rmdir(directory_.c_str());
    directory_.clear();
}

std::int64_t parked_interpreter::go_on(pid_t pid, int control, const protocol::spawn_request& request,
    std::span<const std::string> environment, std::span<const unique_fd> join)
{
    if (!serves(request, environment) || !join_from_outside(pid, join) || !limit_from_outside(pid, request) ||
        !agree(control, std::span(request.argv).subspan(request_.program.argv.size()), environment))
        return 0;
    const auto now = monotonic_us();
    return ::send(control, &go_word, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? now : 0;
}

bool parked_interpreter::serves(const protocol::spawn_request& request, std::span<const std::string> environment) const
{
    const auto& own = request_.program;
    const bool same_command = request.argv.size() >= own.argv.size() && std::equal(own.argv.begin(), own.argv.end(), request.argv.begin());
    return same_command && !request.pty && request.cwd == own.cwd && request.seccomp_filter == own.seccomp_filter &&
           chosen(environment, request_.fixed) == fixed_;
}

/// Sends u32 length | number of arguments, arguments, variables, separated by NUL; waits for the program's answer.
bool parked_interpreter::agree(int control, std::span<const std::string> arguments, std::span<const std::string> environment)
{
    auto text = std::to_string(arguments.size());
    for (const auto& each : arguments)
        append_text(text, each);
    for (const auto& each : environment)
        append_text(text, each);
    std::string message;
    protocol::append_text(message, text);
    const auto until = monotonic_ms() + agree_within_ms;
    return send_all(control, message, until) && hears(control, agreed_word, until);
}

void parked_interpreter::forget()
{
    remove_hook();
    stdio_ = {};
    request_ = {};
    fixed_ = {};
}

}    // namespace caisson::agent
