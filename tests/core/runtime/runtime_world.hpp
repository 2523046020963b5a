#pragma once

#include "adapters/bubblewrap/bubblewrap_runtime.hpp"
#include "adapters/containers/docker_runtime.hpp"
#include "adapters/containers/engine_runtime.hpp"
#include "core/async/deadline.hpp"
#include "core/protocol/agent_link.hpp"
#include "tests/core/runtime/engine_image.hpp"
#include "tests/support/run_task.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace caisson::testing {

/// bubblewrap_by_bwrap: bwrap makes the sandboxes, where the launcher could. bubblewrap_other_agent: the launcher makes them and executes
/// an agent that is not its own. docker_stdio and gvisor: containers of an engine that may be anywhere.
enum class runtime_kind { bubblewrap, bubblewrap_by_bwrap, bubblewrap_other_agent, process, mock, docker, docker_stdio, gvisor };

/// As whom a case runs: as the tests do, as root, or as an ordinary user (root's tests then fork one).
enum class runs_as { tester, root, ordinary_user };

/// Which of the host's cgroups a case may see.
enum class cgroups { all, v1_only };

struct runtime_case {
    const char* name;
    runtime_kind kind;
    runs_as user = runs_as::tester;
    cgroups visible = cgroups::all;
};

inline void PrintTo(const runtime_case& which, std::ostream* out) { *out << which.name; }

inline constexpr runtime_case bubblewrap_root{"bubblewrap_root", runtime_kind::bubblewrap, runs_as::root};
inline constexpr runtime_case bubblewrap_v1{"bubblewrap_v1", runtime_kind::bubblewrap, runs_as::root, cgroups::v1_only};
inline constexpr runtime_case bubblewrap_by_bwrap{"bubblewrap_by_bwrap", runtime_kind::bubblewrap_by_bwrap, runs_as::root};
inline constexpr runtime_case bubblewrap_other_agent{"bubblewrap_other_agent", runtime_kind::bubblewrap_other_agent, runs_as::root};
inline constexpr runtime_case bubblewrap_user{"bubblewrap_user", runtime_kind::bubblewrap, runs_as::ordinary_user};
inline constexpr runtime_case process_as_is{"process", runtime_kind::process};
inline constexpr runtime_case process_user{"process_user", runtime_kind::process, runs_as::ordinary_user};
inline constexpr runtime_case docker_root{"docker_root", runtime_kind::docker, runs_as::root};
inline constexpr runtime_case docker_v1{"docker_v1", runtime_kind::docker, runs_as::root, cgroups::v1_only};
inline constexpr runtime_case docker_over_stdio{"docker_stdio", runtime_kind::docker_stdio};
inline constexpr runtime_case gvisor{"gvisor", runtime_kind::gvisor};
inline constexpr runtime_case mock_as_is{"mock", runtime_kind::mock};

constexpr bool is_on_bubblewrap(runtime_kind kind)
{
    return kind == runtime_kind::bubblewrap || kind == runtime_kind::bubblewrap_by_bwrap || kind == runtime_kind::bubblewrap_other_agent;
}

/// How a program ended, as the agent told it.
struct program_outcome {
    std::string out;
    std::string err;
    std::optional<protocol::exit_report> exit;
    std::optional<std::pair<int, std::string>> start_failure;
    bool unknown = false;
};

/// One runtime with all it needs, in a directory of its own that goes away with it.
class runtime_world {
public:
    explicit runtime_world(const runtime_case& which);
    ~runtime_world();

    runtime& rt() { return *runtime_; }
    cgroup_tree& groups() { return groups_; }
    /// Of sandboxes that are gone: kept for the next ones.
    const used_networks& networks() const { return *networks_; }
    asio::io_context& context() { return context_; }
    timers& time() { return time_; }
    runtime_kind kind() const { return kind_; }
    /// False where programs are scripts of the runtime, which have no files.
    bool runs_programs() const;
    /// Whether programs have a root of their own.
    bool confines() const { return is_on_bubblewrap(kind_) || has_engine(); }
    bool is_over_stdio() const { return kind_ == runtime_kind::docker_stdio || kind_ == runtime_kind::gvisor; }
    bool has_engine() const { return kind_ == runtime_kind::docker || is_over_stdio(); }
    /// Only of those that have one.
    docker::engine& engine() { return *engine_; }
    const std::string& image() const { return image_->name(); }
    /// Of those over stdio: another runtime, whose agent comes in this volume of the engine.
    std::unique_ptr<runtime> make_runtime_with_volume(const std::string& volume);
    /// Containers of this world on its engine, running or not.
    task<std::size_t> count_containers();
    /// Another server's runtime over the same data.
    std::unique_ptr<runtime> make_runtime();
    const std::string& data_dir() const { return data_dir_; }
    std::string uid_lock_dir() const { return directory_ + "/uids"; }

    /// Runs `work` for at most 30 seconds; throws, or gives errc::timed_out if it gives a result, when it is not done then.
    template <class T>
    T run(task<T> work)
    {
        auto outcome = run_task(context_, with_deadline(time_, time_.steady_now() + std::chrono::seconds(30), std::move(work)));
        if constexpr (std::is_same_v<decltype(outcome), T>)
            return outcome;
        else if constexpr (!std::is_void_v<T>)
            return std::move(outcome.value());
        else
            outcome.value();
    }

    sandbox_spec spec();
    /// A running sandbox; fails the test and throws if there is none.
    std::unique_ptr<sandbox> start();
    std::unique_ptr<sandbox> start(sandbox_spec spec);
    void destroy(sandbox& box);
    /// Removes all left-overs but `keep`; returns how many were removed.
    std::size_t sweep(const std::vector<sandbox_id>& keep);

    /// What this runtime runs to print `text`.
    std::vector<std::string> echo(const std::string& text) const;
    /// What runs until it is killed.
    std::vector<std::string> hang() const;

    protocol::spawn_request request(std::vector<std::string> argv) const;
    /// Runs a program to its end.
    program_outcome run_program(sandbox& box, protocol::spawn_request request, std::vector<int> join = {});
    program_outcome run_program(sandbox& box, std::vector<std::string> argv) { return run_program(box, request(std::move(argv))); }

    /// A group of the sandbox's whole size.
    std::unique_ptr<execution_group> open_group(sandbox& box);
    /// Runs a program in `group`, and kills the group when `when` holds, asked every few milliseconds.
    program_outcome run_until(sandbox& box, std::vector<std::string> argv, execution_group& group, std::function<bool()> when);
    /// Starts a program and turns away from it.
    void leave_running(sandbox& box, std::vector<std::string> argv, std::vector<int> join);

private:
    std::string program(const std::string& name);
    engine_runtime_options options_over_stdio();
    task<program_outcome> run_to_end(sandbox* box, protocol::spawn_request request, std::vector<int> join);
    task<program_outcome> run_and_kill(sandbox* box, std::vector<std::string> argv, execution_group* group, std::function<bool()> when);
    task<> start_and_leave(sandbox* box, std::vector<std::string> argv, std::vector<int> join);
    task<> kill_when(execution_group* group, std::function<bool()> when);

    runtime_kind kind_;
    std::string directory_;
    std::string data_dir_;
    asio::io_context context_;
    system_timers time_;
    null_logger log_;
    worker_pool workers_{"work", 1};
    cgroup_tree groups_;
    std::shared_ptr<used_networks> networks_ = std::make_shared<used_networks>();
    id_factory ids_{time_};
    std::unique_ptr<engine_image> image_;
    std::unique_ptr<docker::engine> engine_;
    std::unique_ptr<runtime> runtime_;
};

/// Why a case cannot run here; nothing if it can.
std::optional<std::string> cannot_run(const runtime_case& which);
/// The same for cases that need groups which limit and measure.
std::optional<std::string> cannot_limit(const runtime_case& which);
/// An ordinary user has groups only where they were delegated to the process that runs the tests.
std::vector<runtime_case> limited_cases();

/// Runs `body` in a world of its own: as it is, or in a child that gave root up where the case wants an ordinary user.
/// Failures in the child fail the test.
void in_world(const runtime_case& which, const std::function<void(runtime_world&)>& body);

}    // namespace caisson::testing
