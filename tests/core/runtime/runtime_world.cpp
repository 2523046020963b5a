#include "tests/core/runtime/runtime_world.hpp"

#include "core/adapters/mock/mock_runtime.hpp"
#include "core/adapters/process/process_runtime.hpp"
#include "core/async/task_group.hpp"
#include "core/base/unique_fd.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <filesystem>
#include <grp.h>
#include <map>
#include <sstream>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace caisson::testing {

namespace {

constexpr uid_t ordinary_uid = 65534;

std::string make_directory()
{
    std::string path = "/tmp/caisson-runtime-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr || ::chmod(path.c_str(), 0755) != 0)
        throw std::runtime_error("no directory for the test");
    return path;
}

/// The build may be where an ordinary user cannot go.
/// Opened as root for an ordinary user, who may not reach the build's directory.
std::map<std::string, unique_fd> opened_programs;

void open_program(const std::string& name)
{
    opened_programs[name] = unique_fd(::open((std::string(CAISSON_BINARY_DIR) + "/" + name).c_str(), O_RDONLY | O_CLOEXEC));
}

std::string copy_program(const std::string& directory, const std::string& name)
{
    const auto path = directory + "/" + name;
    const auto opened = opened_programs.find(name);
    const auto source = opened == opened_programs.end() ? std::string(CAISSON_BINARY_DIR) + "/" + name
                                                        : "/proc/self/fd/" + std::to_string(opened->second.get());
    std::filesystem::copy_file(source, path);
    return path;
}

cgroup_tree_options visible_cgroups(cgroups visible)
{
    auto options = cgroup_options_of_this_process("test-" + std::to_string(::getpid()));
    if (visible == cgroups::all)
        return options;
    std::istringstream lines(std::exchange(options.mountinfo, {}));
    for (std::string line; std::getline(lines, line);) {
        if (line.find(" - cgroup2 ") == std::string::npos)
            options.mountinfo += line + "\n";
    }
    return options;
}

/// Collects what one execution's sink hears.
class recorder : public protocol::execution_sink {
public:
    explicit recorder(io_executor executor) : changed_(executor) { }

    void on_started(std::int32_t, std::uint64_t) override
    {
        started_ = true;
        changed_.notify_all();
    }
    void on_output(protocol::stream_number stream, std::uint64_t, shared_bytes bytes) override
    {
        (stream == protocol::stream_number::stdout_stream ? outcome.out : outcome.err) += bytes.view();
    }
    void on_gap(protocol::stream_number, std::uint64_t, std::uint64_t) override { ADD_FAILURE() << "a gap"; }
    void on_eof(protocol::stream_number, std::uint64_t) override
    {
        ++ended_;
        changed_.notify_all();
    }
    void on_stdin_taken(std::uint64_t) override { }
    void on_exited(protocol::exit_report report) override
    {
        outcome.exit = report;
        changed_.notify_all();
    }
    void on_start_failed(int code, std::string step) override
    {
        outcome.start_failure.emplace(code, std::move(step));
        changed_.notify_all();
    }
    void on_unknown() override
    {
        outcome.unknown = true;
        changed_.notify_all();
    }

    task<> wait()
    {
        while (!(outcome.exit && ended_ == 2) && !outcome.start_failure && !outcome.unknown)
            co_await changed_.wait_past(changed_.version());
    }

    task<> wait_started()
    {
        while (!started_ && !outcome.start_failure)
            co_await changed_.wait_past(changed_.version());
    }

    program_outcome outcome;

private:
    notifier changed_;
    bool started_ = false;
    int ended_ = 0;
};

task<> run_link(protocol::agent_link* link) { (void)co_await link->run(); }

/// A link to a sandbox's agent that carries one execution.
class open_link {
public:
    open_link(io_executor executor, timers& time, logger& log, sandbox& box)
        : time_(time), heard_(executor), number_(++last_number), link_(make(executor, time, log, box)), background_(executor, log)
    {
    }

    task<> greet()
    {
        auto opened = co_await link_->open(time_.steady_now() + std::chrono::seconds(10));
        if (opened.has_error())
            throw std::runtime_error("link: " + opened.error().detail);
        background_.spawn("link", run_link(link_.get()));
        link_->attach(number_, heard_, std::nullopt);
    }
    task<> close()
    {
        link_->close();
        co_await background_.stop();
    }

    protocol::agent_link& link() { return *link_; }
    recorder& heard() { return heard_; }
    protocol::exec_number number() const { return number_; }

private:
    static std::unique_ptr<protocol::agent_link> make(io_executor executor, timers& time, logger& log, sandbox& box)
    {
        static std::uint64_t epoch = 0;
        auto connect = [&box] { return box.connect(); };
        return protocol::make_agent_link(executor, time, log, std::move(connect), {.instance = "test", .epoch = ++epoch});
    }

    static inline protocol::exec_number last_number = 0;
    timers& time_;
    recorder heard_;
    protocol::exec_number number_;
    std::unique_ptr<protocol::agent_link> link_;
    task_group background_;
};

}    // namespace

runtime_world::runtime_world(const runtime_case& which)
    : kind_(which.kind)
    , directory_(make_directory())
    , data_dir_(directory_ + "/data")
    , groups_(std::make_shared<system_cgroup_io>(), visible_cgroups(which.visible))
{
    std::filesystem::create_directory(data_dir_);
    runtime_ = make_runtime();
}

runtime_world::~runtime_world()
{
    try {
        sweep({});    // what a failed test left
    } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
    }
    runtime_.reset();
    workers_.join();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::unique_ptr<runtime> runtime_world::make_runtime()
{
    const local_services services{context_.get_executor(), time_, log_, workers_, groups_};
    if (kind_ == runtime_kind::mock)
        return std::make_unique<mock_runtime>(context_.get_executor(), time_, log_);
    local_runtime_options options{.data_dir = data_dir_,
        .instance = "test",
        .launch_path = copy_program(directory_, "caisson-launch"),
        .agent_path = copy_program(directory_, "caisson-agent")};
    if (kind_ == runtime_kind::process)
        return std::make_unique<process_runtime>(services, std::move(options));
    return std::make_unique<bubblewrap_runtime>(services, bubblewrap_options{.local = std::move(options), .uid_lock_dir = uid_lock_dir()});
}

sandbox_spec runtime_world::spec()
{
    constexpr std::int64_t mib = 1 << 20;
    return {.id = ids_.make<sandbox_id>(),
        .limits = {.memory_bytes = 64 * mib, .cpu_milli = 1000, .pids = 32, .disk_bytes = 4 * mib, .inodes = 64}};
}

std::unique_ptr<sandbox> runtime_world::start() { return start(spec()); }

std::unique_ptr<sandbox> runtime_world::start(sandbox_spec spec)
{
    auto created = run(rt().create(std::move(spec)));
    if (created.has_error())
        throw std::runtime_error("create: " + created.error().detail);
    auto started = run(rt().start(**created));
    if (started.has_error()) {
        run((*created)->destroy());
        throw std::runtime_error("start: " + started.error().detail);
    }
    return std::move(*created);
}

void runtime_world::destroy(sandbox& box)
{
    const auto destroyed = run(box.destroy());
    EXPECT_TRUE(destroyed.has_value()) << destroyed.error().detail;
}

std::size_t runtime_world::sweep(const std::vector<sandbox_id>& keep)
{
    std::size_t removed = 0;
    const auto found = run(rt().left_overs());
    for (const auto& id : found.value()) {
        if (std::ranges::find(keep, id) == keep.end() && run(rt().remove_left_over(id, "")).has_value())
            ++removed;
    }
    return removed;
}

std::vector<std::string> runtime_world::echo(const std::string& text) const
{
    if (kind_ == runtime_kind::mock)
        return {"mock", "--stdout", text};
    return {"/usr/bin/printf", "%s", text};
}

std::vector<std::string> runtime_world::hang() const
{
    if (kind_ == runtime_kind::mock)
        return {"mock", "--hang"};
    return {"/usr/bin/sleep", "1000"};
}

protocol::spawn_request runtime_world::request(std::vector<std::string> argv) const
{
    return {.argv = std::move(argv), .env = {{"PATH", "/usr/bin:/bin"}}, .cwd = kind_ == runtime_kind::bubblewrap ? "/workspace" : "/"};
}

std::unique_ptr<execution_group> runtime_world::open_group(sandbox& box)
{
    const auto limits = spec().limits;
    auto group = box.open_group("exe_test", {.memory_bytes = limits.memory_bytes, .cpu_milli = limits.cpu_milli, .pids = limits.pids});
    if (group.has_error())
        throw std::runtime_error("group: " + group.error().detail);
    return std::move(*group);
}

program_outcome runtime_world::run_program(sandbox& box, protocol::spawn_request wanted, std::vector<int> join)
{
    return run(run_to_end(&box, std::move(wanted), std::move(join)));
}

task<program_outcome> runtime_world::run_to_end(sandbox* box, protocol::spawn_request wanted, std::vector<int> join)
{
    open_link opened(context_.get_executor(), time_, log_, *box);
    co_await opened.greet();
    opened.link().spawn(opened.number(), std::move(wanted), std::move(join));
    co_await opened.heard().wait();
    opened.link().forget(opened.number());
    co_await opened.close();
    co_return std::move(opened.heard().outcome);
}

void runtime_world::leave_running(sandbox& box, std::vector<std::string> argv, std::vector<int> join)
{
    run(start_and_leave(&box, std::move(argv), std::move(join)));
}

task<> runtime_world::start_and_leave(sandbox* box, std::vector<std::string> argv, std::vector<int> join)
{
    open_link opened(context_.get_executor(), time_, log_, *box);
    co_await opened.greet();
    opened.link().spawn(opened.number(), request(std::move(argv)), std::move(join));
    co_await opened.heard().wait_started();
    co_await opened.close();
}

program_outcome runtime_world::run_until(sandbox& box, std::vector<std::string> argv, execution_group& group, std::function<bool()> when)
{
    return run(run_and_kill(&box, std::move(argv), &group, std::move(when)));
}

task<program_outcome> runtime_world::run_and_kill(
    sandbox* box, std::vector<std::string> argv, execution_group* group, std::function<bool()> when)
{
    task_group background(context_.get_executor(), log_);
    background.spawn("kill", kill_when(group, std::move(when)));
    auto wanted = request(std::move(argv));
    auto outcome = co_await run_to_end(box, std::move(wanted), group->join_descriptors());
    co_await background.stop();
    co_return outcome;
}

task<> runtime_world::kill_when(execution_group* group, std::function<bool()> when)
{
    while (!when())
        co_await time_.wait_for(std::chrono::milliseconds(5));
    group->kill();
}

std::optional<std::string> cannot_run(const runtime_case& which)
{
    if (which.user == runs_as::root && ::geteuid() != 0)
        return "needs root: bubblewrap with a host uid for each sandbox";
    if (which.kind == runtime_kind::bubblewrap && ::access("/usr/bin/bwrap", X_OK) != 0)
        return "needs /usr/bin/bwrap: apt-get install bubblewrap";
    if (which.visible == cgroups::v1_only && ::access("/sys/fs/cgroup/memory", F_OK) != 0)
        return "needs cgroup v1 on this host";
    return std::nullopt;
}

namespace {

void run_body(const runtime_case& which, const std::function<void(runtime_world&)>& body)
{
    try {
        runtime_world world(which);
        body(world);
    } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();
    }
}

[[noreturn]] void run_as_ordinary_user(const runtime_case& which, const std::function<void(runtime_world&)>& body)
{
    open_program("caisson-launch");
    open_program("caisson-agent");
    const bool dropped = ::setgroups(0, nullptr) == 0 && ::setresgid(ordinary_uid, ordinary_uid, ordinary_uid) == 0 &&
                         ::setresuid(ordinary_uid, ordinary_uid, ordinary_uid) == 0 && ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0;
    if (!dropped)
        ADD_FAILURE() << "the child could not give root up";
    else
        run_body(which, body);
    std::fflush(nullptr);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
}

}    // namespace

void in_world(const runtime_case& which, const std::function<void(runtime_world&)>& body)
{
    if (which.user != runs_as::ordinary_user || ::geteuid() != 0)
        return run_body(which, body);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0)
        run_as_ordinary_user(which, body);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "failed as an ordinary user, see above; wait status " << status;
}

}    // namespace caisson::testing
