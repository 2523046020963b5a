#include "tests/core/protocol/agent_process.hpp"

#include "core/protocol/pipe_stream.hpp"
#include "core/protocol/unix_stream.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace caisson::protocol {

namespace {

void check(bool good, const char* what)
{
    if (!good)
        throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_un address_of(const std::string& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    return address;
}

unique_fd listen_on(const sockaddr_un& address)
{
    unique_fd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    check(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0, "bind");
    check(::listen(listener.get(), 8) == 0, "listen");
    return listener;
}

class socket_agent final : public agent_process {
public:
    explicit socket_agent(io_executor executor) : executor_(executor), address_(address_of(work_ + ".s"))
    {
        const auto listener = listen_on(address_);
        spawn(-1, -1, listener.get());
    }
    ~socket_agent() override { ::unlink(address_.sun_path); }
    agent_link::connector connector() override
    {
        return [this] { return connect(executor_, address_); };
    }
    void abandon() override { }

private:
    static task<result<std::unique_ptr<byte_stream>>> connect(io_executor executor, sockaddr_un address)
    {
        unique_fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
            co_return error{errc::gone, std::strerror(errno)};
        co_return make_unix_stream(executor, std::move(fd));
    }

    io_executor executor_;
    sockaddr_un address_;
};

/// The agent comes to where this process listens, as out of a container.
class dialling_agent final : public agent_process {
public:
    explicit dialling_agent(io_executor executor) : executor_(executor), address_(address_of(work_ + ".s")), listener_(listen_on(address_))
    {
        spawn(-1, -1, -1, address_.sun_path);
    }
    ~dialling_agent() override { ::unlink(address_.sun_path); }
    agent_link::connector connector() override
    {
        return [this] { return accept(this); };
    }
    /// The next server listens at the same place.
    void abandon() override
    {
        ::unlink(address_.sun_path);
        listener_ = listen_on(address_);
    }

private:
    static task<result<std::unique_ptr<byte_stream>>> accept(dialling_agent* self)
    {
        while (!self->has_ended()) {
            unique_fd fd(::accept4(self->listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (fd)
                co_return make_unix_stream(self->executor_, std::move(fd));
            co_await self->time_.wait_for(std::chrono::milliseconds(2));
        }
        co_return error{errc::gone, "the agent has ended"};
    }

    io_executor executor_;
    system_timers time_;
    sockaddr_un address_;
    unique_fd listener_;
};

/// As an engine's attached stdio: the pipes stay when a server goes.
class pipe_agent final : public agent_process {
public:
    explicit pipe_agent(io_executor executor) : executor_(executor)
    {
        int in[2];
        int out[2];
        check(::pipe2(in, O_CLOEXEC) == 0 && ::pipe2(out, O_CLOEXEC) == 0, "pipe2");
        const unique_fd their_in(in[0]);
        const unique_fd their_out(out[1]);
        to_ = unique_fd(in[1]);
        from_ = unique_fd(out[0]);
        spawn(their_in.get(), their_out.get(), -1);
    }
    agent_link::connector connector() override
    {
        return [this] { return connect(executor_, duplicate(from_), duplicate(to_)); };
    }
    void abandon() override
    {
        to_.reset();
        from_.reset();
    }

private:
    static int duplicate(const unique_fd& fd) { return ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3); }
    static task<result<std::unique_ptr<byte_stream>>> connect(io_executor executor, int from, int to)
    {
        unique_fd read(from);
        unique_fd write(to);
        if (!read || !write)
            co_return error{errc::gone, "the pipes were abandoned"};
        co_return make_pipe_stream(executor, std::move(read), std::move(write));
    }

    io_executor executor_;
    unique_fd to_;
    unique_fd from_;
};

}    // namespace

std::unique_ptr<agent_process> agent_process::start(io_executor executor, transport how)
{
    ::signal(SIGPIPE, SIG_IGN);
    switch (how) {
    case transport::unix_socket: return std::make_unique<socket_agent>(executor);
    case transport::dialled: return std::make_unique<dialling_agent>(executor);
    default: return std::make_unique<pipe_agent>(executor);
    }
}

std::string agent_process::name_of(transport how)
{
    switch (how) {
    case transport::unix_socket: return "unix_socket";
    case transport::dialled: return "dialled";
    default: return "pipes";
    }
}

agent_process::agent_process()
{
    std::string pattern = (std::filesystem::temp_directory_path() / "caisson-agent-XXXXXX").string();
    check(::mkdtemp(pattern.data()) != nullptr, "mkdtemp");
    work_ = pattern;
}

agent_process::~agent_process()
{
    if (pid_ > 0) {
        ::kill(pid_, SIGTERM);
        if (!ends_within(std::chrono::seconds(5))) {
            ::kill(pid_, SIGKILL);
            ::waitpid(pid_, nullptr, 0);
        }
    }
    std::error_code ignored;
    std::filesystem::remove_all(work_, ignored);
}

void agent_process::spawn(int stdio_in, int stdio_out, int listener, const char* connect_to)
{
    const auto listen_text = std::to_string(listener < 0 ? 0 : 3);
    const char* chosen = std::getenv("CAISSON_TEST_AGENT");    // a wrapper, for example, that makes the agent PID 1
    const char* program = chosen ? chosen : CAISSON_AGENT_PATH;
    std::vector<const char*> argv{program, "--subreaper", "--work", work_.c_str()};
    if (connect_to)
        argv.insert(argv.end(), {"--connect", connect_to});
    else if (listener >= 0)
        argv.insert(argv.end(), {"--listen-fd", listen_text.c_str()});
    else
        argv.push_back("--stdio");
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    if (listener >= 0)
        ::posix_spawn_file_actions_adddup2(&actions, listener, 3);
    if (stdio_in >= 0) {
        ::posix_spawn_file_actions_adddup2(&actions, stdio_in, 0);
        ::posix_spawn_file_actions_adddup2(&actions, stdio_out, 1);
    }
    char* env[] = {nullptr};
    errno = ::posix_spawn(&pid_, program, &actions, nullptr, const_cast<char* const*>(argv.data()), env);
    ::posix_spawn_file_actions_destroy(&actions);
    check(errno == 0, program);
}

/// It stays for whoever waits for it.
bool agent_process::has_ended() const
{
    siginfo_t about{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid != 0;
}

bool agent_process::ends_within(std::chrono::milliseconds timeout)
{
    const unique_fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    pollfd ready{process.get(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(timeout.count())) != 1)
        return false;
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
    return true;
}

}    // namespace caisson::protocol
