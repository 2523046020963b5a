#include "adapters/host/launcher.hpp"

#include "core/async/deadline.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

namespace caisson {

namespace {

using namespace std::chrono_literals;

/// Kills the process and its children on destruction, unless let_go() was called.
class kill_guard {
public:
    explicit kill_guard(const process_handle& process) : process_(&process) { }
    ~kill_guard()
    {
        if (process_ != nullptr)
            kill_with_children(process_->identity().pid);
    }
    kill_guard(const kill_guard&) = delete;
    kill_guard& operator=(const kill_guard&) = delete;
    void let_go() { process_ = nullptr; }

private:
    const process_handle* process_;
};

/// Appends options with their values to a command line.
class option_list {
public:
    explicit option_list(std::vector<std::string>& argv) : argv_(argv) { }
    void operator()(const char* name, std::string value) const
    {
        argv_.emplace_back(name);
        argv_.push_back(std::move(value));
    }

private:
    std::vector<std::string>& argv_;
};

void add_sandbox(const option_list& add, const whole_sandbox& made)
{
    add("--work", made.work);
    if (!made.agent.empty())
        add("--agent", made.agent);
    add("--seccomp-fd", std::to_string(made.seccomp));
    if (made.info >= 0)
        add("--info-fd", std::to_string(made.info));
    for (const auto& [name, target] : made.links)
        add("--link", name + ":" + target);
    for (const auto& place : made.places)
        add("--place", place);
    for (const auto& name : made.roots)
        add("--root", name);
    for (const auto& name : made.masks)
        add("--mask", name);
    for (const auto& name : made.hides)
        add("--hide", name);
}

spawn_options options_of(const launch_request& request, int status, int executable)
{
    spawn_options options{.path = request.launch_path,
        .argv = {"caisson-launch"},
        .environment = request.environment,
        .descriptors = request.descriptors,
        .may_have_fresh_network = request.sandbox.has_value(),
        .must_be_forked = request.sandbox && request.sandbox->agent.empty()};
    auto& argv = options.argv;
    const option_list add(argv);
    options.status = options.descriptors.add(status);
    add("--status-fd", std::to_string(options.status));
    if (request.sandbox)
        options.network = request.sandbox->network;
    if (!request.sandbox)
        add("--exec-fd", std::to_string(options.descriptors.add(executable)));
    for (const int fd : request.join)
        add("--join-fd", std::to_string(options.descriptors.add(fd)));
    if (request.tmpfs)
        add("--tmpfs", std::to_string(request.tmpfs->bytes) + ":" + std::to_string(request.tmpfs->inodes));
    for (const auto& name : request.views)
        add("--view", name);
    for (const auto& path : request.trees)
        add("--tree", path);
    if (request.uid)
        add("--uid", std::to_string(*request.uid));
    for (const auto& limit : request.rlimits)
        add("--rlimit", std::to_string(limit.resource) + ":" + std::to_string(limit.value));
    if (request.sandbox)
        add_sandbox(add, *request.sandbox);
    argv.emplace_back("--");
    argv.insert(argv.end(), request.argv.begin(), request.argv.end());
    return options;
}

}    // namespace

std::optional<pipe_ends> make_pipe()
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return std::nullopt;
    return pipe_ends{unique_fd(ends[0]), unique_fd(ends[1])};
}

task<std::string> read_until(unique_fd pipe, std::optional<char> last, std::size_t limit_bytes)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::posix::basic_stream_descriptor<io_executor> stream(executor);
    stream.assign(pipe.get());    // may throw; takes ownership only on success
    static_cast<void>(pipe.release());
    std::string text;
    char buffer[1024];
    while (text.size() < limit_bytes) {
        boost::system::error_code failed;
        auto token = asio::redirect_error(use_task, failed);
        const std::size_t got = co_await stream.async_read_some(asio::buffer(buffer), token);
        if (failed == asio::error::operation_aborted)
            throw boost::system::system_error(failed);
        if (failed || got == 0)
            break;
        text.append(buffer, got);
        if (last && text.find(*last) != std::string::npos)
            break;
    }
    co_return text;
}

namespace {

struct begun_launcher {
    process_handle process;
    unique_fd status;    // read end
    bool goes_on;        // becomes the program without execve, and reports that with an empty line
};

/// Describes the end of a launcher that reported no failure.
std::string name_of_end(std::optional<int> status)
{
    if (status && WIFSIGNALED(*status))
        return "the launcher was killed by signal " + std::to_string(WTERMSIG(*status));
    return "the launcher ended" + (status ? " with status " + std::to_string(WEXITSTATUS(*status)) : std::string());
}

result<begun_launcher> begin(fork_server& forks, const std::function<result<launch_request>()>& make)
{
    const auto request = make();
    if (request.has_error())
        return request.error();
    auto status = make_pipe();
    const unique_fd executable(request->sandbox ? -1 : ::open(request->executable.c_str(), O_PATH | O_CLOEXEC));
    if (!status || (!executable && !request->sandbox))
        return error{errc::runtime_unavailable, request->executable + ": " + std::strerror(errno)};
    const auto options = options_of(*request, status->write.get(), executable.get());
    auto started = request->is_forked || options.must_be_forked ? forks.spawn(options) : spawn_process(options);
    if (started.has_error())
        return started.error();
    return begun_launcher{std::move(*started), std::move(status->read), options.must_be_forked};
}

task<result<process_handle>> launch_and_wait(
    timers* time, worker_pool* workers, fork_server* forks, std::function<result<launch_request>()> make, std::function<void()> meanwhile)
{
    auto work = [forks, make = std::move(make), meanwhile = std::move(meanwhile)] {
        auto begun = begin(*forks, make);
        if (!begun.has_error())
            meanwhile();
        return begun;
    };
    auto begun = co_await offload(*workers, std::move(work));
    if (begun.has_error())
        co_return begun.error();
    auto& process = begun->process;
    kill_guard guard(process);
    constexpr std::size_t longest = 500;
    auto complaint = co_await with_deadline(*time, time->steady_now() + 10s, read_until(std::move(begun->status), '\n', longest));
    if (complaint.has_value() && *complaint == (begun->goes_on ? "\n" : "")) {
        guard.let_go();
        co_return std::move(process);
    }
    kill_with_children(process.identity().pid);
    guard.let_go();
    const auto status = co_await process.wait();
    if (complaint.has_error())
        co_return error{errc::timed_out, "the launcher did not get to its program in time"};
    if (complaint->empty())
        co_return error{errc::runtime_unavailable, name_of_end(status)};
    co_return error{errc::runtime_unavailable, "the launcher failed: " + complaint->substr(0, complaint->find('\n'))};
}

}    // namespace

task<result<process_handle>> launch(timers& time, worker_pool& workers, fork_server& forks, launch_request request)
{
    return launch_and_wait(&time, &workers, &forks, [request = std::move(request)] { return result<launch_request>(request); }, [] {});
}

task<result<process_handle>> launch(
    timers& time, worker_pool& workers, fork_server& forks, std::function<result<launch_request>()> make, std::function<void()> meanwhile)
{
    return launch_and_wait(&time, &workers, &forks, std::move(make), std::move(meanwhile));
}

std::vector<launch_request::limit> baseline_rlimits()
{
    constexpr std::uint64_t no_core = 1;    // with 0 the kernel would still start the program that core_pattern names
    return {{RLIMIT_CORE, no_core}, {RLIMIT_MEMLOCK, 64 << 10}, {RLIMIT_MSGQUEUE, 800 << 10}, {RLIMIT_SIGPENDING, 1'024},
        {RLIMIT_RTPRIO, 0}, {RLIMIT_NICE, 0}};
}

}    // namespace caisson
