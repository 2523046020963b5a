#include "tests/core/runtime/runtime_world.hpp"

#include "adapters/crypto/digest.hpp"
#include "adapters/mock/mock_runtime.hpp"
#include "adapters/process/process_runtime.hpp"
#include "core/base/unique_fd.hpp"
#include "tests/core/runtime/open_link.hpp"

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

}    // namespace

runtime_world::runtime_world(const runtime_case& which)
    : kind_(which.kind)
    , directory_(make_directory())
    , data_dir_(directory_ + "/data")
    , groups_(std::make_shared<system_cgroup_io>(), visible_cgroups(which.visible))
{
    std::filesystem::create_directory(data_dir_);
    if (has_engine()) {
        image_ = std::make_unique<engine_image>();
        engine_ =
            std::make_unique<docker::engine>(context_.get_executor(), time_, docker::engine_options{.address = *test_engine_address()});
    }
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
    engine_.reset();
    workers_.join();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
}

std::unique_ptr<runtime> runtime_world::make_runtime()
{
    local_services services{context_.get_executor(), time_, log_, workers_, groups_};
    services.networks = networks_;
    groups_.prepare();
    auto home = groups_.open_for_agent(groups_.agents_group());
    services.forks = std::make_shared<fork_server>(home.has_error() ? std::vector<unique_fd>() : std::move(*home));
    if (kind_ == runtime_kind::mock)
        return std::make_unique<mock_runtime>(context_.get_executor(), time_, log_);
    local_runtime_options options{.data_dir = data_dir_,
        .instance = "test-" + std::to_string(::getpid()),
        .launch_path = program("caisson-launch"),
        .agent_path = program("caisson-agent"),
        .launcher_has_agent = kind_ != runtime_kind::bubblewrap_other_agent};
    if (kind_ == runtime_kind::docker) {
        docker_options of_docker{.local = std::move(options), .default_image = image(), .uid_lock_dir = uid_lock_dir()};
        return std::make_unique<docker_runtime>(services, *engine_, std::move(of_docker));
    }
    if (is_over_stdio())
        return make_runtime_with_volume("");
    if (kind_ == runtime_kind::process)
        return std::make_unique<process_runtime>(services, std::move(options));
    const auto maker = kind_ == runtime_kind::bubblewrap_by_bwrap ? namespace_maker::bwrap : namespace_maker::automatic;
    return std::make_unique<bubblewrap_runtime>(
        services, bubblewrap_options{
                      .local = std::move(options), .maker = maker, .uid_lock_dir = uid_lock_dir(), .digests = {&md5_hex, &sha256_hex}});
}

engine_runtime_options runtime_world::options_over_stdio()
{
    engine_runtime_options options{
        .instance = "test-" + std::to_string(::getpid()), .agent_path = program("caisson-agent"), .default_image = image()};
    if (kind_ == runtime_kind::gvisor) {
        options.name = "gvisor";
        options.engine_runtime = "runsc";
    }
    return options;
}

std::unique_ptr<runtime> runtime_world::make_runtime_with_volume(const std::string& volume)
{
    auto options = options_over_stdio();
    options.agent_volume = volume;
    const engine_services services{context_.get_executor(), time_, log_, *engine_};
    return std::make_unique<engine_runtime>(services, workers_, std::move(options));
}

task<std::size_t> runtime_world::count_containers()
{
    docker::containers all(*engine_);
    auto labels = std::vector{"caisson.instance=test-" + std::to_string(::getpid())};
    const auto listed = co_await all.list(std::move(labels), engine_->deadline());
    co_return listed.value().size();
}

/// Copied once.
std::string runtime_world::program(const std::string& name)
{
    const auto path = directory_ + "/" + name;
    return std::filesystem::exists(path) ? path : copy_program(directory_, name);
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

bool runtime_world::runs_programs() const
{
    return std::ranges::none_of(runtime_->capabilities().degraded, [](const degradation& each) { return each.control == "everything"; });
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
    return {.argv = std::move(argv), .env = {{"PATH", "/usr/bin:/bin"}}, .cwd = confines() ? "/workspace" : "/"};
}

std::unique_ptr<execution_group> runtime_world::open_group(sandbox& box)
{
    const auto limits = spec().limits;
    auto group =
        box.open_group(first_program_group, {.memory_bytes = limits.memory_bytes, .cpu_milli = limits.cpu_milli, .pids = limits.pids});
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
        return "needs root: a host uid for each sandbox";
    if (is_on_bubblewrap(which.kind) && ::access("/usr/bin/bwrap", X_OK) != 0)
        return "needs /usr/bin/bwrap: apt-get install bubblewrap";
    const bool on_engine =
        which.kind == runtime_kind::docker || which.kind == runtime_kind::docker_stdio || which.kind == runtime_kind::gvisor;
    if (on_engine && !test_engine_address())
        return "needs a Docker Engine to test with: CAISSON_TEST_ENGINE=unix:///…";
    if (which.kind == runtime_kind::gvisor && !test_engine_has("runsc"))
        return "needs gVisor: a Docker Engine to test with that has the runtime runsc";
    if (which.visible == cgroups::v1_only && ::access("/sys/fs/cgroup/memory", F_OK) != 0)
        return "needs cgroup v1 on this host";
    return std::nullopt;
}

std::optional<std::string> cannot_limit(const runtime_case& which)
{
    if (auto reason = cannot_run(which))
        return reason;
    cgroup_tree groups(std::make_shared<system_cgroup_io>(), cgroup_options_of_this_process("probe-" + std::to_string(::getpid())));
    groups.prepare();
    if (!groups.controls(cgroup_control::memory) || !groups.controls(cgroup_control::pids) || !groups.controls(cgroup_control::cpu))
        return "no cgroups with memory, pids and cpu can be made here: run as root";
    return std::nullopt;
}

std::vector<runtime_case> limited_cases()
{
    if (::geteuid() == 0)
        return {bubblewrap_root, bubblewrap_v1, process_as_is};
    return {bubblewrap_user, process_as_is};
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
