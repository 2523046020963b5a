#include "app/server/turn_watch.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>
#include <utility>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds signal_every = 10ms;
constexpr auto between_warnings = 10s;
constexpr std::int64_t long_turn_ns = std::chrono::nanoseconds(turn_watch::long_turn).count();
constexpr int handler_frames = 2;    // this file's and the kernel's

std::int64_t in_ms(std::int64_t ns) { return ns / std::chrono::nanoseconds(1ms).count(); }

/// "caisson+0x1a2b", which addr2line knows: `addr2line -Cfe caisson 0x1a2b`.
std::string place_in_program(void* address)
{
    Dl_info about{};
    if (::dladdr(address, &about) == 0 || about.dli_fname == nullptr)
        return "?";
    const std::string_view path = about.dli_fname;
    std::array<char, 32> offset{};
    const auto from = reinterpret_cast<std::uintptr_t>(about.dli_fbase);
    std::snprintf(offset.data(), offset.size(), "+0x%" PRIxPTR, reinterpret_cast<std::uintptr_t>(address) - from);
    return std::string(path.substr(path.rfind('/') + 1)) + offset.data();
}

}    // namespace

turn_watch::turn_watch(logger& log) : log_(log)
{
    void* first = nullptr;
    ::backtrace(&first, 1);    // loads libgcc now: a signal handler may not (backtrace(3))
}

turn_watch::~turn_watch()
{
    if (has_timer_)
        ::timer_delete(timer_);
}

void turn_watch::start_timer()
{
    struct sigaction heed{};
    heed.sa_sigaction = &turn_watch::look;
    heed.sa_flags = SA_SIGINFO | SA_RESTART;
    sigevent how{};
    how.sigev_notify = SIGEV_THREAD_ID;
    how.sigev_signo = SIGPROF;
    how.sigev_value.sival_ptr = &record_;
    how._sigev_un._tid = ::gettid();    // glibc 2.36 has no name for it
    itimerspec when{};
    when.it_value.tv_nsec = signal_every.count();
    when.it_interval.tv_nsec = signal_every.count();
    has_timer_ = ::sigaction(SIGPROF, &heed, nullptr) == 0 && ::timer_create(CLOCK_THREAD_CPUTIME_ID, &how, &timer_) == 0;
    if (has_timer_ && ::timer_settime(timer_, 0, &when, nullptr) != 0) {
        ::timer_delete(timer_);
        has_timer_ = false;
    }
    if (!has_timer_)
        log_.warning("turns of the I/O thread are not measured", {{"errno", errno}});
}

void turn_watch::look(int, siginfo_t* about, void*)
{
    if (about->si_code != SI_TIMER)    // sent by a profiler or another process
        return;
    const int kept_errno = errno;
    auto& in = *static_cast<record*>(about->si_value.sival_ptr);
    if (const auto turn = in.turn.load(std::memory_order_relaxed); turn != in.seen_turn) {
        in.seen_turn = turn;
        in.lasted_ns = -signal_every.count();    // the turn may have begun just before its first signal
    }
    const bool was_long = in.lasted_ns >= long_turn_ns;
    in.lasted_ns += signal_every.count();
    if (in.lasted_ns >= long_turn_ns) {
        in.long_ns = in.lasted_ns;
        in.longest_ns = std::max(in.longest_ns, in.lasted_ns);
        if (!was_long) {
            ++in.long_turns;
            in.frames = ::backtrace(in.stack, most_frames);
        }
    }
    errno = kept_errno;
}

void turn_watch::run(asio::io_context& context)
{
    start_timer();
    while (context.run_one() > 0) {
        record_.turn.store(record_.turn.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (record_.frames != 0)
            tell();
    }
}

void turn_watch::begin_anew()
{
    record_.longest_ns = 0;
    record_.long_turns = 0;
    record_.frames = 0;
    told_ns_ = 0;
    told_at_.reset();
}

void turn_watch::tell()
{
    const auto frames = std::exchange(record_.frames, 0);
    const auto now = std::chrono::steady_clock::now();
    if (record_.long_ns <= told_ns_ && told_at_ && now - *told_at_ < between_warnings)
        return;
    told_ns_ = std::max(told_ns_, record_.long_ns);
    told_at_ = now;
    std::string stack;
    for (int i = handler_frames; i < frames; ++i)
        stack += (stack.empty() ? "" : " ") + place_in_program(record_.stack[i]);
    log_.warning("one turn of the I/O thread was long; other requests waited for it", {{"ms", in_ms(record_.long_ns)}, {"stack", stack}});
}

std::string turn_watch::detail() const
{
    if (!has_timer_)
        return "its turns are not measured";
    if (record_.long_turns == 0)
        return "";
    return "turns of " + std::to_string(long_turn.count()) + " ms of processor time or more: " + std::to_string(record_.long_turns) +
           "; the longest: " + std::to_string(in_ms(record_.longest_ns)) + " ms; the server's log has stacks";
}

}    // namespace caisson
