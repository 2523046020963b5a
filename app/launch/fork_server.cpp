#include "app/launch/fork_server.hpp"

#include "adapters/host/fork_order.hpp"
#include "app/launch/fail.hpp"
#include "app/launch/launch.hpp"
#include "app/launch/network.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace caisson::launch {

namespace {

constexpr int server_fd = 3;
constexpr int shared_fd = 4;

// Static instead of stack or heap memory: erased by overwriting.
alignas(fork_order) char order_bytes[most_order_bytes];
char* texts[most_order_texts + 2];    // plus the null pointers that end command line and environment
char* title = nullptr;
std::size_t title_bytes = 0;

struct received {
    ssize_t bytes;
    std::size_t count;
    int descriptors[most_order_descriptors];
};

received receive_order()
{
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * most_order_descriptors)];
    iovec part{order_bytes, sizeof order_bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    received got{};
    do
        got.bytes = ::recvmsg(server_fd, &message, MSG_CMSG_CLOEXEC);
    while (got.bytes < 0 && errno == EINTR);
    const cmsghdr* const rights = got.bytes > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS) {
        got.count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        std::memcpy(got.descriptors, CMSG_DATA(rights), got.count * sizeof(int));
    }
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
        got.bytes = -1;
    return got;
}

/// Descriptors arrive in ascending order, each above its target number: so none is overwritten before its use.
void take_descriptors(const received& order)
{
    for (std::size_t i = 0; i < order.count; ++i)
        if (order.descriptors[i] <= static_cast<int>(i) || ::dup2(order.descriptors[i], static_cast<int>(i)) < 0)
            fail("descriptors");
    ::syscall(SYS_close_range, static_cast<unsigned>(order.count), ~0U, 0U);
}

/// False if there are fewer than `count` strings.
bool point_to(char**& next, std::uint32_t count, char*& at, const char* end)
{
    for (; count > 0; --count) {
        auto* const nul = static_cast<char*>(std::memchr(at, '\0', static_cast<std::size_t>(end - at)));
        if (nul == nullptr)
            return false;
        *next++ = at;
        at = nul + 1;
    }
    *next++ = nullptr;
    return true;
}

/// Returns an empty order if the message is incomplete.
fork_order head_of(const received& order)
{
    constexpr fork_order none{};
    return order.bytes >= static_cast<ssize_t>(sizeof none) ? *reinterpret_cast<const fork_order*>(order_bytes) : none;
}

bool is_among(std::int32_t number, const received& order) { return number >= 0 && static_cast<std::size_t>(number) < order.count; }

[[noreturn]] void obey(const received& order)
{
    const auto head = head_of(order);
    const bool tells = is_among(head.status, order);
    if (tells)
        report_failures_to(order.descriptors[head.status]);
    if (head.may_have_fresh_network == 0)
        return_to_first_network();
    take_descriptors(order);
    if (is_among(head.network, order))    // for the next child
        ::close(head.network);
    if (tells)
        report_failures_to(head.status);
    if (::setsid() < 0 || ::chdir("/") != 0)
        fail("session");
    char* at = order_bytes + sizeof head;
    char** next = texts;
    const bool complete = order.bytes >= static_cast<ssize_t>(sizeof head) && head.arguments <= most_order_texts &&
                          head.variables <= most_order_texts - head.arguments &&
                          point_to(next, head.arguments, at, order_bytes + order.bytes) &&
                          point_to(next, head.variables, at, order_bytes + order.bytes);
    if (!complete)
        refuse("an order is not whole");
    environ = texts + head.arguments + 1;
    set_title("caisson-launch");
    launch(static_cast<int>(head.arguments), texts, environ);
}

/// The server receives the child's end like that of this process (clone(2), CLONE_PARENT), and sees its pid in shared memory before it
/// runs.
pid_t fork_for_parent(pid_t* shared, bool is_first)
{
    const unsigned long namespaces = is_first ? CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS : 0;
    return static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | CLONE_PARENT_SETTID | namespaces, nullptr, shared, nullptr, nullptr));
}

/// Takes the order's used network namespace; -1 if it has none.
int take_network(received& order)
{
    const auto number = head_of(order).network;
    return is_among(number, order) ? std::exchange(order.descriptors[number], -1) : -1;
}

/// Maps the memory shared with the server; children do not inherit it. Null on failure. Closes all descriptors except those of serve().
pid_t* open_shared()
{
    void* const page = ::mmap(nullptr, fork_page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared_fd, 0);
    ::syscall(SYS_close_range, static_cast<unsigned>(shared_fd), ~0U, 0U);
    const bool is_ours = page != MAP_FAILED && ::madvise(page, fork_page_bytes, MADV_DONTFORK) == 0;
    return is_ours ? static_cast<pid_t*>(page) : nullptr;
}

bool answer(const fork_answer& what) { return ::send(server_fd, &what, sizeof what, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof what); }

void forget(const received& order)
{
    for (std::size_t i = 0; i < order.count; ++i)
        ::close(order.descriptors[i]);
    std::fill_n(order_bytes, std::max<ssize_t>(order.bytes, 0), '\0');
}

}    // namespace

int serve(char** argv)
{
    title = argv[0];
    title_bytes = static_cast<std::size_t>(argv[1] + std::strlen(argv[1]) - argv[0]);
    ::prctl(PR_SET_NAME, "caisson-forks", 0, 0, 0);
    pid_t* const shared = open_shared();
    if (shared == nullptr)
        return 1;
    if (!answer({}))    // tells the server that it is ready
        return 1;
    bool wants_network = false;
    for (int used_network = -1;;) {
        if (wants_network && !has_fresh_network() && !enter_used_network(used_network))
            enter_fresh_network();
        ::close(std::exchange(used_network, -1));
        received order = receive_order();
        if (order.bytes <= 0)
            return order.bytes < 0 ? 1 : 0;
        const pid_t made = fork_for_parent(shared, head_of(order).is_first != 0);
        if (made == 0)
            obey(order);
        const fork_answer what{std::max(made, 0), made < 0 ? errno : 0};
        if (head_of(order).may_have_fresh_network != 0) {
            give_network_away();
            used_network = take_network(order);
            wants_network = ::geteuid() == 0;
        }
        forget(order);
        if (!answer(what))
            return 1;
    }
}

void set_title(const char* name)
{
    ::prctl(PR_SET_NAME, name, 0, 0, 0);
    if (title == nullptr)
        return;
    std::memset(title, 0, title_bytes);
    std::memcpy(title, name, std::min(std::strlen(name), title_bytes));
}

}    // namespace caisson::launch
