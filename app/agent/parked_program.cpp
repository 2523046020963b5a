#include "app/agent/parked_program.hpp"

#include "app/agent/control_socket.hpp"
#include "app/agent/reaper.hpp"

#include <cerrno>
#include <csignal>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr std::int64_t start_within_ms = 20'000;
constexpr std::int64_t become_within_ms = 10'000;    // for a bare child, including execve
constexpr char waiting_word = 'R';

}    // namespace

int parked_program::begin(protocol::exec_number number, const protocol::park_request& request, const child_place& place, poller& events)
{
    number_ = number;
    is_bare_ = request.is_bare();
    is_joined_ = !place.join.empty();
    is_alone_ = true;
    const int code = launch(request, place, events);
    if (code != 0)
        end(events);
    return code;
}

int parked_program::launch(const protocol::park_request& request, const child_place& place, poller& events)
{
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    control_.fd.reset(ends[0]);
    unique_fd theirs(ends[1]);
    deadline_ms_ = monotonic_ms() + start_within_ms;
    if (is_bare_)
        pid_ = child_.start(place, request.program, std::move(theirs), ends[0], waiting_word, deadline_ms_);
    else if (const int code = interpreter_.start(request, place, theirs.get(), pid_))
        return code;
    if (pid_ < 0)
        return errno;
    if (is_bare_ && child_.is_late())
        return ETIMEDOUT;
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
    interpreter_.remove_hook();
    events.want(control_, source::parked, 0, 0);
    waits_ = true;
    deadline_ms_ = 0;
    return 0;
}

child_outcome parked_program::become(
    const protocol::spawn_request& request, exec_image& image, std::span<const unique_fd> join, stdio_set& stdio, poller& events)
{
    child_outcome outcome;
    if (waits_ && is_bare_)
        return become_any(request, image, stdio, events);
    if (waits_)
        outcome.execve_us =
            interpreter_.go_on(pid_, control_.fd.get(), request, image.environment(), is_joined_ ? std::span<const unique_fd>() : join);
    if (!outcome.runs()) {
        end(events);
        return outcome;
    }
    stdio = interpreter_.take_stdio();
    reaped(events);
    return outcome;
}

child_outcome parked_program::become_any(const protocol::spawn_request& request, exec_image& image, stdio_set& stdio, poller& events)
{
    stdio_set fresh;
    const auto until = monotonic_ms() + become_within_ms;
    const bool in_time = child_.tell(control_.fd.get(), request, image, fresh, until);
    auto outcome = child_.outcome();
    if (in_time && outcome.runs()) {
        stdio = std::move(fresh);
        reaped(events);
        return outcome;
    }
    kill();
    outcome = child_.outcome();    // final: the child is dead
    if (outcome.runs())
        outcome = {"execve", ETIMEDOUT, 0};
    reaped(events);
    return outcome;
}

void parked_program::kill() const
{
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);    // it may not have its own session yet
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) { }
}

void parked_program::share_sandbox(poller& events)
{
    is_alone_ = false;
    if (is_bare_)
        end(events);
}

void parked_program::end(poller& events)
{
    if (exists()) {
        if (!is_bare_ && is_alone_)
            kill_descendants();    // including processes that it started
        kill();
    }
    reaped(events);
}

void parked_program::reaped(poller& events)
{
    events.drop(control_);
    interpreter_.forget();
    child_.forget();
    pid_ = -1;
    waits_ = false;
    deadline_ms_ = 0;
}

}    // namespace caisson::agent
