#include "app/agent/waiting_child.hpp"

#include "app/agent/control_socket.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr int own_control = 3;    // the child's descriptor of its socket
constexpr char go_on = 'G';

/// Closes all descriptors except the pipes, which become 0 to 2, and the socket.
bool keep_only(const stdio_set& pipes, int socket)
{
    for (int i = 0; i < 3; ++i)
        if (::dup2(pipes.child[i].get(), i) < 0)
            return false;
    if (socket != own_control && ::dup3(socket, own_control, O_CLOEXEC) < 0)
        return false;
    return ::syscall(SYS_close_range, own_control + 1U, ~0U, 0U) == 0;
}

}    // namespace

/// The child may use the arguments until it sends `word`: this call waits for that.
pid_t waiting_child::start(
    const child_place& place, const protocol::spawn_request& known, unique_fd theirs, int ours, char word, std::int64_t until_ms)
{
    alignas(16) static char stack[64 * 1024];    // static: there is only one waiting child
    if (const int code = open_pipes(pipes_); code != 0) {
        errno = code;
        return -1;
    }
    place_ = &place;
    known_ = &known;
    socket_ = theirs.get();
    word_ = word;
    outcome_ = {};
    filter_ = known.seccomp_filter;
    const pid_t pid = ::clone(live, stack + sizeof(stack), CLONE_VM | SIGCHLD, this);
    theirs.reset();    // only the child holds it now, so its end closes it
    is_late_ = pid > 0 && !wait_for(ours, POLLIN, until_ms);
    for (auto& end : pipes_.child)
        end.reset();
    return pid;
}

int waiting_child::live(void* self)
{
    static_cast<waiting_child*>(self)->wait_and_become();
    ::_exit(127);
}

void waiting_child::wait_and_become()
{
    if (!enter(*place_, outcome_) || !keep_only(pipes_, socket_) || !prepare(known_->rlimits, filter_, outcome_))
        return;
    ::prctl(PR_SET_NAME, "caisson-waits");
    char heard = 0;
    if (::send(own_control, &word_, 1, MSG_NOSIGNAL) == 1 && receive(own_control, {&heard, 1}, 0, program_.stdio).bytes == 1)
        become();
}

/// Call once tell() has set the program. A terminal was received for stdin, stdout and stderr; otherwise the child uses its pipes.
void waiting_child::become()
{
    for (int i = 0; i < 3; ++i)
        if (!program_.controlling_tty)
            program_.stdio[i] = i;
    program_.closed_from = own_control + 1;    // the socket itself is close-on-exec
    program_.is_prepared = true;
    execute(program_, outcome_);
}

bool waiting_child::tell(int ours, const protocol::spawn_request& request, exec_image& image, stdio_set& stdio, std::int64_t until_ms)
{
    if (request.seccomp_filter != filter_)
        return false;
    if (!request.pty)
        stdio = std::move(pipes_);
    else if (open_terminal(*request.pty, stdio) != 0)
        return false;
    program_ = {};
    program_.take(request, image);
    const int terminal = stdio.child[0].get();
    const int ends[3]{terminal, terminal, terminal};
    const auto passed = request.pty ? std::span<const int>(ends) : std::span<const int>();
    return send_all(ours, {&go_on, 1}, passed, until_ms) && hears_end(ours, until_ms);
}

void waiting_child::forget()
{
    pipes_ = {};
    filter_.clear();
    program_ = {};
}

}    // namespace caisson::agent
