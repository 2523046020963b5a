#include "app/agent/waiting_child.hpp"

#include "app/agent/control_socket.hpp"
#include "core/protocol/messages.hpp"

#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace caisson::agent {

namespace {

constexpr int own_control = 3;    // of the child

/// What the child is told: u32 length | an encoded spawn_request. Under a terminal that rides on the first byte three times, for stdin,
/// stdout and stderr; else none does, and it has its pipes.
struct told_program {
    protocol::spawn_request request;
    std::vector<unique_fd> stdio;
};

/// The pipes, which become descriptors 0 to 2, and the socket.
bool keep_only(const stdio_set& pipes, int socket)
{
    for (int i = 0; i < 3; ++i)
        if (::dup2(pipes.child[i].get(), i) < 0)
            return false;
    if (socket != own_control && ::dup3(socket, own_control, O_CLOEXEC) < 0)
        return false;
    return ::syscall(SYS_close_range, own_control + 1U, ~0U, 0U) == 0;
}

/// False at the end of the socket.
bool read_whole(std::span<char> into, std::vector<unique_fd>& descriptors)
{
    while (!into.empty()) {
        const auto got = receive(own_control, into, MSG_WAITALL, descriptors);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0)
            into = into.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

bool hear(told_program& out)
{
    char head[4];
    if (!read_whole(head, out.stdio))
        return false;
    const auto size = protocol::field_reader({head, sizeof(head)}).u32();
    if (size > protocol::max_spawn_bytes)
        return false;
    std::string bytes(size, '\0');
    if (!read_whole(bytes, out.stdio) || !protocol::decode_spawn(bytes, out.request))
        return false;
    return out.stdio.size() == (out.request.pty ? 3 : 0);
}

void become(const told_program& told, child_outcome& outcome)
{
    exec_image image(told.request);
    child_program program;
    for (int i = 0; i < 3; ++i)
        program.stdio[i] = told.stdio.empty() ? i : told.stdio[static_cast<std::size_t>(i)].get();
    program.take(told.request, image);
    program.closed_from = own_control + 1;    // that one ends with execve
    program.is_prepared = true;
    execute(program, outcome);
}

/// All that it does. Its parent has one thread, so that the C library works in it.
[[noreturn]] void live(
    const child_place& place, const protocol::spawn_request& known, const stdio_set& pipes, int socket, char word, child_outcome& outcome)
{
    told_program told;
    if (enter(place, outcome) && keep_only(pipes, socket) && prepare(known.rlimits, known.seccomp_filter, outcome)) {
        ::prctl(PR_SET_NAME, "caisson-waits");
        if (::send(own_control, &word, 1, MSG_NOSIGNAL) == 1 && hear(told))
            become(told, outcome);
    }
    ::_exit(127);
}

}    // namespace

void waiting_child::unmap::operator()(child_outcome* what) const { ::munmap(what, sizeof(*what)); }

pid_t waiting_child::start(const child_place& place, const protocol::spawn_request& known, int socket, char word)
{
    void* const page = ::mmap(nullptr, sizeof(child_outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -1;
    shared_.reset(new (page) child_outcome);
    if (const int code = open_pipes(pipes_); code != 0) {
        errno = code;
        return -1;
    }
    const pid_t pid = ::fork();
    if (pid == 0)
        live(place, known, pipes_, socket, word, *shared_);
    for (auto& end : pipes_.child)
        end.reset();
    filter_ = known.seccomp_filter;
    is_there_ = true;
    return pid;
}

bool waiting_child::tell(int socket, const protocol::spawn_request& request, stdio_set& stdio, std::int64_t until_ms)
{
    if (request.seccomp_filter != filter_)
        return false;
    if (!request.pty)
        stdio = std::move(pipes_);
    else if (open_terminal(*request.pty, stdio) != 0)
        return false;
    const int terminal = stdio.child[0].get();
    const int ends[3]{terminal, terminal, terminal};
    std::string message;
    protocol::append_text(message, protocol::encode_spawn(request));
    const auto passed = request.pty ? std::span<const int>(ends) : std::span<const int>();
    return send_all(socket, message, passed, until_ms) && hears_end(socket, until_ms);
}

}    // namespace caisson::agent
