#include "app/agent/parked_program.hpp"

#include "app/agent/child.hpp"
#include "app/agent/reaper.hpp"
#include "core/protocol/frame.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr std::int64_t start_within_ms = 20'000;
constexpr std::int64_t agree_within_ms = 500;
constexpr char waiting_word = 'R';                       // of the program: it waits
constexpr char agreed_word = 'Y';                        // it has its arguments and environment
constexpr char go_word = 'G';                            // of the agent
constexpr std::string_view no_cache = "/__pycache__";    // a file in this place: nothing is written below it

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

/// Those variables whose names are among `patterns`, sorted.
std::vector<std::string> chosen(std::span<const std::string> environment, std::span<const std::string> patterns)
{
    std::vector<std::string> out;
    for (const auto& each : environment)
        if (std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) { return is_named(each, pattern); }))
            out.push_back(each);
    std::sort(out.begin(), out.end());
    return out;
}

/// False when nothing can be done by `until_ms`, or the other end is gone.
bool wait_for(int socket, short what, std::int64_t until_ms)
{
    for (;;) {
        pollfd ready{socket, what, 0};
        const auto left = std::max<std::int64_t>(until_ms - monotonic_ms(), 0);
        const int got = ::poll(&ready, 1, static_cast<int>(left));
        if (got > 0)
            return (ready.revents & what) != 0;
        if (got == 0 || errno != EINTR)
            return false;
    }
}

bool send_all(int socket, std::string_view bytes, std::int64_t until_ms)
{
    while (!bytes.empty()) {
        const auto done = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done > 0)
            bytes.remove_prefix(static_cast<std::size_t>(done));
        else if ((errno != EAGAIN && errno != EINTR) || !wait_for(socket, POLLOUT, until_ms))
            return false;
    }
    return true;
}

bool hears(int socket, char word, std::int64_t until_ms)
{
    char heard = 0;
    return wait_for(socket, POLLIN, until_ms) && ::recv(socket, &heard, 1, MSG_DONTWAIT) == 1 && heard == word;
}

void append_text(std::string& out, std::string_view text) { out.append(1, '\0').append(text); }

}    // namespace

int parked_program::begin(const protocol::park_request& request, const landlock& rules, poller& events)
{
    int code = prepare(request);
    if (code == 0)
        code = launch(rules, events);
    if (code != 0)
        end(events);
    return code;
}

/// The directory with the hook, and what the program is started with.
int parked_program::prepare(const protocol::park_request& request)
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

int parked_program::launch(const landlock& rules, poller& events)
{
    auto program = request_.program;
    for (const auto& [name, value] : request_.hooks)
        program.env.emplace_back(name, with_directory(value, directory_));
    exec_image image(program);
    if (!image.valid())
        return EINVAL;
    if (const int code = open_pipes(stdio_))
        return code;
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    control_.fd.reset(ends[0]);
    const unique_fd theirs(ends[1]);
    child_plan plan;
    for (int i = 0; i < 3; ++i)
        plan.stdio[i] = stdio_.child[i].get();
    plan.control = theirs.get();
    plan.rlimits = program.rlimits;
    plan.cwd = program.cwd.c_str();
    plan.rules = &rules;
    plan.filter = &program.seccomp_filter;
    plan.image = &image;
    pid_ = start_child(plan);
    if (pid_ < 0)
        return plan.code;
    for (auto& each : stdio_.child)
        each.reset();
    deadline_ms_ = monotonic_ms() + start_within_ms;
    return events.want(control_, source::parked, 0, EPOLLIN) ? 0 : EIO;
}

int parked_program::hear(poller& events)
{
    if (!exists() || waits_)
        return EAGAIN;
    char word = 0;
    const auto got = ::recv(control_.fd.get(), &word, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return EAGAIN;
    if (got != 1 || word != waiting_word) {
        end(events);
        return EPROTO;
    }
    remove_hook();
    events.want(control_, source::parked, 0, 0);
    waits_ = true;
    deadline_ms_ = 0;
    return 0;
}

void parked_program::remove_hook()
{
    if (directory_.empty())
        return;
    ::unlink((directory_ + '/' + request_.file_name).c_str());
    ::unlink((directory_ + std::string(no_cache)).c_str());
    ::rmdir(directory_.c_str());
    directory_.clear();
}

std::int64_t parked_program::become(const protocol::spawn_request& request, std::span<const std::string> environment,
    std::span<const unique_fd> join, stdio_set& stdio, poller& events)
{
    if (!waits_ || !serves(request, environment) || !take_over(request, environment, join)) {
        end(events);
        return 0;
    }
    const auto now = monotonic_us();
    if (::send(control_.fd.get(), &go_word, 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1) {
        end(events);
        return 0;
    }
    stdio = std::move(stdio_);
    reaped(events);
    return now;
}

bool parked_program::serves(const protocol::spawn_request& request, std::span<const std::string> environment) const
{
    const auto& own = request_.program;
    const bool same_command = request.argv.size() >= own.argv.size() && std::equal(own.argv.begin(), own.argv.end(), request.argv.begin());
    return same_command && !request.pty && request.cwd == own.cwd && request.seccomp_filter == own.seccomp_filter &&
           chosen(environment, request_.fixed) == fixed_;
}

bool parked_program::take_over(
    const protocol::spawn_request& request, std::span<const std::string> environment, std::span<const unique_fd> join) const
{
    const auto number = std::to_string(pid_);
    for (const auto& each : join)
        if (::write(each.get(), number.data(), number.size()) != static_cast<ssize_t>(number.size()))
            return false;
    return set_limits(request) && agree(std::span(request.argv).subspan(request_.program.argv.size()), environment);
}

/// As a child sets them for itself. See child.cpp.
bool parked_program::set_limits(const protocol::spawn_request& request) const
{
    for (const auto& each : request.rlimits) {
        const auto resource = static_cast<__rlimit_resource>(each.resource);
        rlimit own{};
        if (::prlimit(pid_, resource, nullptr, &own) != 0)
            return false;
        const auto value = std::min<rlim_t>(each.value, own.rlim_max);
        const rlimit limit{value, value};
        const bool is_so = own.rlim_cur == value && own.rlim_max == value;
        if (!is_so && ::prlimit(pid_, resource, &limit, nullptr) != 0)
            return false;
    }
    return true;
}

/// u32 length | number of arguments, arguments, variables; a NUL between two.
bool parked_program::agree(std::span<const std::string> arguments, std::span<const std::string> environment) const
{
    auto text = std::to_string(arguments.size());
    for (const auto& each : arguments)
        append_text(text, each);
    for (const auto& each : environment)
        append_text(text, each);
    std::string message;
    protocol::append_number(message, text.size(), 4);
    message += text;
    const auto until = monotonic_ms() + agree_within_ms;
    return send_all(control_.fd.get(), message, until) && hears(control_.fd.get(), agreed_word, until);
}

void parked_program::end(poller& events)
{
    if (exists()) {
        ::kill(-pid_, SIGKILL);
        kill_descendants();    // no other program is there yet: what it started goes with it
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) { }
    }
    reaped(events);
}

void parked_program::reaped(poller& events)
{
    remove_hook();
    events.drop(control_);
    stdio_ = {};
    request_ = {};
    fixed_ = {};
    pid_ = -1;
    waits_ = false;
    deadline_ms_ = 0;
}

}    // namespace caisson::agent
