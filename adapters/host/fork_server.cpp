#include "adapters/host/fork_server.hpp"

#include "adapters/host/fork_order.hpp"
#include "adapters/host/small_file.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

namespace caisson {

namespace {

constexpr std::size_t most_program_bytes = 64 << 20;
constexpr unsigned may_be_executed = 0x10;                        // MFD_EXEC, since Linux 6.3
constexpr timeval answer_patience{.tv_sec = 10, .tv_usec = 0};    // an answer normally takes a tenth of a millisecond

/// Nothing if the order exceeds one message.
std::optional<std::string> order_text(const spawn_options& options)
{
    const fork_order head{static_cast<std::uint32_t>(options.argv.size()), static_cast<std::uint32_t>(options.environment.size()),
        options.may_have_fresh_network ? 1U : 0U, options.must_be_forked ? 1U : 0U, options.status, options.network};
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

unique_fd sealed_copy(const std::string& path)
{
    const auto program = read_small_file(path, most_program_bytes);
    unique_fd file(::memfd_create("caisson-launch", MFD_CLOEXEC | MFD_ALLOW_SEALING | may_be_executed));
    if (!file && errno == EINVAL)
        file.reset(::memfd_create("caisson-launch", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    constexpr int all_seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
    const bool is_whole = file && program && ::write(file.get(), program->data(), program->size()) == static_cast<ssize_t>(program->size());
    if (!is_whole || ::fchmod(file.get(), 0500) != 0 || ::fcntl(file.get(), F_ADD_SEALS, all_seals) != 0)
        file.reset();
    return file;
}

/// `pid` is an own child: its number is not reused before waitpid().
void kill_and_reap(pid_t pid)
{
    kill_with_children(pid);
    int status = 0;
    pid_t ended = 0;
    do
        ended = ::waitpid(pid, &status, 0);
    while ((ended < 0 && errno == EINTR) || (ended == pid && WIFSTOPPED(status)));    // the process may be traced
}

}    // namespace

fork_server::fork_server(std::vector<unique_fd> home) : home_(std::move(home)) { }

fork_server::~fork_server() { end_process(); }

void fork_server::end()
{
    const std::lock_guard lock(mutex_);
    end_process();
}

void fork_server::unmap::operator()(std::atomic<pid_t>* what) const { ::munmap(what, fork_page_bytes); }

bool fork_server::has_copy_of(const std::string& path)
{
    if (path_ == path)
        return true;
    end_process();
    path_.clear();
    program_ = sealed_copy(path);
    shared_file_.reset(::memfd_create("caisson-forked", MFD_CLOEXEC));
    forked_.reset();
    if (!shared_file_ || ::ftruncate(shared_file_.get(), fork_page_bytes) != 0)
        return false;
    void* const page = ::mmap(nullptr, fork_page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared_file_.get(), 0);
    if (page != MAP_FAILED)
        forked_.reset(new (page) std::atomic<pid_t>(0));
    if (program_ && forked_)
        path_ = path;
    return program_ && forked_;
}

bool fork_server::keeps_program_apart(const std::string& path)
{
    const std::lock_guard lock(mutex_);
    return begin(path);
}

bool fork_server::begin(const std::string& path)
{
    if (!has_copy_of(path))
        return false;
    if (socket_)
        return true;
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return false;
    unique_fd ours(pair[0]);
    unique_fd theirs(pair[1]);
    const unique_fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    spawn_options options{.argv = {"caisson-launch", "--serve"}, .environment = {}, .descriptors = {}};
    for (const int fd : {null.get(), null.get(), null.get(), theirs.get(), shared_file_.get()})
        options.descriptors.add(fd);
    options.path = "/proc/self/fd/" + std::to_string(options.descriptors.add(program_.get()));
    if (!null || ::setsockopt(ours.get(), SOL_SOCKET, SO_RCVTIMEO, &answer_patience, sizeof answer_patience) != 0 ||
        ::setsockopt(ours.get(), SOL_SOCKET, SO_SNDTIMEO, &answer_patience, sizeof answer_patience) != 0)
        return false;
    auto started = spawn_process(options);
    if (started.has_error())
        return false;
    process_ = std::move(*started);
    theirs.reset();                                                                 // else the end of the fork server would not be noticed
    if (!receive_answer(ours.get()) || !enters_home(process_->identity().pid)) {    // it started but cannot serve
        end_process();
        return false;
    }
    socket_ = std::move(ours);
    return true;
}

bool fork_server::enters_home(pid_t pid) const
{
    const auto text = std::to_string(pid);
    return std::ranges::all_of(
        home_, [&](const unique_fd& group) { return ::write(group.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()); });
}

void fork_server::end_process() noexcept
{
    socket_ = unique_fd();
    if (process_)
        kill_and_reap(process_->identity().pid);
    process_.reset();
}

/// Also finds a process whose fork server was killed before answering.
void fork_server::end_what_was_forked() noexcept
{
    if (const pid_t pid = forked_ ? forked_->exchange(0) : 0; pid > 0)
        kill_and_reap(pid);
}

result<process_handle> fork_server::spawn_otherwise(const spawn_options& options, const char* why) const
{
    if (!options.must_be_forked)
        return spawn_process(options);
    return error{errc::runtime_unavailable, "a process could not be started: caisson-launch --serve: " + std::string(why)};
}

result<process_handle> fork_server::spawn(const spawn_options& options)
{
    auto text = order_text(options);
    if (!text)
        return spawn_otherwise(options, "the order is too large");
    const std::lock_guard lock(mutex_);
    constexpr int most_tries = 2;    // the first failure reveals a server that was killed since the last order
    for (int tries = 0; tries < most_tries && begin(options.path); ++tries) {
        forked_->store(0);
        if (!send_order(socket_.get(), *text, options.descriptors.sources())) {
            end_process();
            continue;
        }
        const auto answer = receive_answer(socket_.get());
        if (!answer) {
            end_process();
            end_what_was_forked();
            return error{errc::runtime_unavailable, "a process could not be started: caisson-launch --serve does not answer"};
        }
        if (answer->failed != 0) {
            const std::string step = options.must_be_forked ? "fork into new namespaces: " : "fork: ";
            return error{errc::runtime_unavailable, "a process could not be started: " + step + std::strerror(answer->failed)};
        }
        auto handle = process_handle::open_running(answer->pid);
        if (handle)
            return std::move(*handle);
        const int code = errno;
        kill_and_reap(answer->pid);
        return error{errc::runtime_unavailable, "a process could not be started: pidfd_open: " + std::string(std::strerror(code))};
    }
    return spawn_otherwise(options, has_home() ? "it cannot be begun in its control groups" : "it cannot be begun");
}

}    // namespace caisson
