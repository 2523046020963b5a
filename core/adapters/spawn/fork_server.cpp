#include "core/adapters/spawn/fork_server.hpp"

#include "core/adapters/spawn/fork_order.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

namespace caisson {

namespace {

constexpr timeval patience{.tv_sec = 10, .tv_usec = 0};    // with an answer that takes a tenth of a millisecond

/// Nothing if it is more than one message takes.
std::optional<std::string> text_of(const spawn_options& options)
{
    const fork_order head{static_cast<std::uint32_t>(options.argv.size()), static_cast<std::uint32_t>(options.environment.size())};
    std::string text(reinterpret_cast<const char*>(&head), sizeof head);
    for (const auto* texts : {&options.argv, &options.environment})
        for (const auto& each : *texts)
            text.append(each.c_str(), each.size() + 1);
    const auto texts = options.argv.size() + options.environment.size();
    if (text.size() > most_order_bytes || texts > most_order_texts || options.descriptors.sources().size() > most_order_descriptors)
        return std::nullopt;
    return text;
}

bool send_order(int socket, std::string& text, const std::vector<int>& descriptors)
{
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * most_order_descriptors)]{};
    iovec part{text.data(), text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        const auto bytes = descriptors.size() * sizeof(int);
        message.msg_control = control;
        message.msg_controllen = CMSG_SPACE(bytes);
        auto* const rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(bytes);
        std::memcpy(CMSG_DATA(rights), descriptors.data(), bytes);
    }
    ssize_t sent = 0;
    do
        sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == static_cast<ssize_t>(text.size());
}

std::optional<fork_answer> receive_answer(int socket)
{
    fork_answer answer;
    ssize_t got = 0;
    do
        got = ::recv(socket, &answer, sizeof answer, 0);
    while (got < 0 && errno == EINTR);
    return got == static_cast<ssize_t>(sizeof answer) ? std::optional(answer) : std::nullopt;
}

}    // namespace

fork_server::~fork_server() { end(); }

bool fork_server::begin(const std::string& path)
{
    if (socket_ && path_ == path)
        return true;
    end();
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    unique_fd ours(pair[0]);
    const unique_fd theirs(pair[1]);
    const unique_fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    spawn_options options{.path = path, .argv = {"caisson-launch", "--serve"}, .environment = {}, .descriptors = {}};
    for (const int fd : {null.get(), null.get(), null.get(), theirs.get()})
        options.descriptors.add(fd);
    if (!null || ::setsockopt(ours.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
        ::setsockopt(ours.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0)
        return false;
    auto started = spawn_process(options);
    if (started.has_error())
        return false;
    process_ = std::move(*started);
    socket_ = std::move(ours);
    path_ = path;
    return true;
}

void fork_server::end() noexcept
{
    socket_ = unique_fd();
    if (!process_)
        return;
    process_->send(SIGKILL);
    while (::waitpid(process_->identity().pid, nullptr, 0) < 0 && errno == EINTR) { }
    process_.reset();
}

result<process_handle> fork_server::spawn(const spawn_options& options)
{
    auto text = text_of(options);
    if (!text)
        return spawn_process(options);
    const std::lock_guard lock(mutex_);
    constexpr int most_tries = 2;    // one that was killed since the last order is known by the next
    for (int tries = 0; tries < most_tries && begin(options.path); ++tries) {
        if (!send_order(socket_.get(), *text, options.descriptors.sources())) {
            end();
            continue;
        }
        const auto answer = receive_answer(socket_.get());
        if (!answer) {    // it may have forked
            end();
            return error{errc::runtime_unavailable, "a process could not be started: caisson-launch --serve does not answer"};
        }
        if (answer->failed != 0)
            return error{errc::runtime_unavailable, "a process could not be started: fork: " + std::string(std::strerror(answer->failed))};
        auto handle = process_handle::open_running(answer->pid);
        if (handle)
            return std::move(*handle);
        return error{errc::runtime_unavailable, "a process could not be started: pidfd_open: " + std::string(std::strerror(errno))};
    }
    return spawn_process(options);
}

}    // namespace caisson
