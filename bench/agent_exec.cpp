/// usage: bench-agent-exec [--agent PATH] --work DIR [--cwd DIR] [--count N] -- PROGRAM ARGS…
/// Starts the agent on the host as a subreaper and lets it run the program `count` times, one after the other, over the same
/// link that the server uses, with the server's seccomp filter: from SPAWN to the exit status and the ends of both streams.
/// Without --agent it listens at DIR/s for one that somebody else starts (in a container), which dials; programs start in --cwd.
#include "adapters/host/seccomp_filter.hpp"
#include "bench/arguments.hpp"
#include "bench/report.hpp"
#include "bench/spawn.hpp"
#include "core/async/notifier.hpp"
#include "core/base/log.hpp"
#include "core/protocol/agent_link.hpp"
#include "core/protocol/unix_stream.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace caisson::bench {

namespace {

namespace json = boost::json;

/// A listening socket `s` in the current directory, and connections to it.
class agent_socket {
public:
    agent_socket() : listener_(make())
    {
        ::unlink(name);
        const auto where = address();
        if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0 || ::listen(listener_.get(), 1) != 0)
            throw std::system_error(errno, std::system_category(), "bind");
        std::filesystem::permissions(name, std::filesystem::perms(0666));    // an agent in a container is another user
    }
    ~agent_socket() { ::unlink(name); }
    agent_socket(const agent_socket&) = delete;
    agent_socket& operator=(const agent_socket&) = delete;

    int listener() const { return listener_.get(); }
    unique_fd connect() const
    {
        auto socket = make();
        const auto where = address();
        if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0)
            throw std::system_error(errno, std::system_category(), "connect");
        return socket;
    }
    /// The next that dials.
    unique_fd accept() const
    {
        unique_fd socket(::accept(listener_.get(), nullptr, nullptr));
        if (!socket)
            throw std::system_error(errno, std::system_category(), "accept");
        return socket;
    }

private:
    static constexpr char name[] = "s";
    static unique_fd make() { return unique_fd(::socket(AF_UNIX, SOCK_STREAM, 0)); }
    static sockaddr_un address()
    {
        sockaddr_un out{};
        out.sun_family = AF_UNIX;
        std::ranges::copy(name, out.sun_path);
        return out;
    }

    unique_fd listener_;
};

/// The agent's process; killed and reaped at the end.
class agent_process {
public:
    agent_process(const arguments& given, int listener)
        : pid_(start({given.text("agent"), "--subreaper", "--work", given.text("work"), "--listen-fd", std::to_string(listener)}))
    {
    }
    ~agent_process()
    {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    agent_process(const agent_process&) = delete;
    agent_process& operator=(const agent_process&) = delete;
    pid_t pid() const { return pid_; }

private:
    pid_t pid_;
};

/// Waits for one execution's exit and the ends of its streams.
class exec_sink : public protocol::execution_sink {
public:
    explicit exec_sink(io_executor executor) : changed_(executor) { }

    void on_started(std::int32_t, std::uint64_t) override { }
    void on_output(protocol::stream_number, std::uint64_t, shared_bytes) override { }
    void on_gap(protocol::stream_number, std::uint64_t, std::uint64_t) override { }
    void on_eof(protocol::stream_number, std::uint64_t) override { note_one(); }
    void on_stdin_taken(std::uint64_t) override { }
    void on_exited(protocol::exit_report report) override
    {
        failure_ = report.wait_status == 0 ? "" : "the program failed";
        note_one();
    }
    void on_start_failed(int code, std::string step) override { fail(step + ": errno " + std::to_string(code)); }
    void on_unknown() override { fail("the agent does not know the execution"); }

    task<> ended()
    {
        constexpr int exit_and_two_streams = 3;
        while (noted_ < exit_and_two_streams && failure_.empty())
            co_await changed_.wait_past(changed_.version());
        if (!failure_.empty())
            throw std::runtime_error(failure_);
    }

private:
    void note_one()
    {
        ++noted_;
        changed_.notify_all();
    }
    void fail(std::string why)
    {
        failure_ = std::move(why);
        changed_.notify_all();
    }

    notifier changed_;
    int noted_ = 0;
    std::string failure_;
};

enum class opener { connects, accepts };

task<result<std::unique_ptr<protocol::byte_stream>>> open_stream(const agent_socket* socket, opener by, io_executor executor)
{
    co_return protocol::make_unix_stream(executor, by == opener::connects ? socket->connect() : socket->accept());
}

protocol::spawn_request request_for(const arguments& given)
{
    protocol::spawn_request request;
    request.argv = given.command();
    request.cwd = given.text("cwd", given.text("work"));
    request.wall_ms = 10'000;
    request.seccomp_filter = payload_filter();
    return request;
}

task<> run_one(protocol::agent_link* link, io_executor executor, protocol::exec_number number, protocol::spawn_request request)
{
    exec_sink sink(executor);
    link->attach(number, sink, std::nullopt);
    link->spawn(number, std::move(request), {});
    co_await sink.ended();
    link->forget(number);
}

task<> keep_running(protocol::agent_link* link)
{
    const auto ended = co_await link->run();
    if (ended.has_error())
        throw std::runtime_error(ended.error().detail);
}

struct measurement {
    samples_ns samples;
    std::exception_ptr failure;
};

task<> measure_link(protocol::agent_link* link, io_executor executor, const arguments* given, measurement* out)
{
    constexpr protocol::exec_number warm_up = 20;
    const auto count = static_cast<protocol::exec_number>(given->count("count", 200));
    for (protocol::exec_number number = 1; number <= warm_up + count; ++number) {
        auto request = request_for(*given);
        const auto begin = now_ns();
        co_await run_one(link, executor, number, std::move(request));
        if (number > warm_up)
            out->samples.push_back(now_ns() - begin);
    }
}

task<> measure_all(protocol::agent_link* link, timers* time, logger* log, io_executor executor, const arguments* given, measurement* out)
{
    task_group running(executor, *log);
    try {
        (co_await link->open(time->steady_now() + std::chrono::seconds(10))).value();
        running.spawn("link", keep_running(link));
        co_await measure_link(link, executor, given, out);
    } catch (...) {
        out->failure = std::current_exception();
    }
    link->close();
    co_await running.stop();
}

/// From /proc/PID/smaps_rollup, which another user's process hides; then without PSS.
json::object memory_of(pid_t pid)
{
    json::object out;
    const std::string dir = "/proc/" + std::to_string(pid);
    const auto note = [&out](const std::string& text, const std::string& name, const char* as) {
        if (const auto at = text.find("\n" + name + ":"); at != std::string::npos)
            out[as] = std::stoll(text.substr(at + name.size() + 2)) * 1024;
    };
    note(read_file(dir + "/status"), "VmRSS", "rss_bytes");
    try {
        note(read_file(dir + "/smaps_rollup"), "Pss", "pss_bytes");
    } catch (const std::runtime_error&) {
    }
    return out;
}

void measure(const arguments& given)
{
    std::filesystem::current_path(given.text("work"));    // a path that is too long for a socket's address does no harm
    const agent_socket socket;
    const bool own_agent = given.has("agent");
    std::optional<agent_process> agent;
    if (own_agent)
        agent.emplace(given, socket.listener());
    asio::io_context context(1);
    const auto executor = context.get_executor();
    system_timers time;
    null_logger log;
    const auto by = own_agent ? opener::connects : opener::accepts;
    const auto connect = [&socket, by, executor] { return open_stream(&socket, by, executor); };
    const auto link = protocol::make_agent_link(executor, time, log, connect, {.instance = "bench"});
    measurement out;
    task_group all(executor, log);
    all.spawn("measure", measure_all(link.get(), &time, &log, executor, &given, &out));
    context.run();
    if (out.failure)
        std::rethrow_exception(out.failure);
    print_report({{"memory", agent ? memory_of(agent->pid()) : json::object()}}, out.samples);
}

}    // namespace

}    // namespace caisson::bench

int main(int argc, char** argv) { return caisson::bench::run_main(argc, argv, caisson::bench::measure); }
