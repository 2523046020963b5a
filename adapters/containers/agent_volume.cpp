#include "adapters/containers/agent_volume.hpp"

#include "adapters/containers/container_plan.hpp"
#include "adapters/engine/small_tar.hpp"
#include "adapters/engine/volumes.hpp"
#include "adapters/host/small_file.hpp"
#include "core/async/deadline.hpp"

namespace caisson::docker {

namespace {

using namespace std::chrono_literals;

constexpr auto fill_within = 60s;    // over a slow network
constexpr auto turn_within = 90s;    // for a concurrent fill
constexpr auto clean_within = 10s;
constexpr auto look_within = 10s;
constexpr std::size_t most_agent_bytes = 64 << 20;
constexpr std::size_t most_mark_bytes = 16 << 10;
/// Written last: if it exists, the agent is complete.
constexpr const char* mark = "whole";

std::string inside(std::string_view name) { return std::string(agent_volume_directory) + "/" + std::string(name); }

}    // namespace

/// Marks the volume as being filled.
class agent_volume::turn {
public:
    explicit turn(agent_volume& of) : of_(of) { of_.filling_ = true; }
    ~turn()
    {
        of_.filling_ = false;
        of_.changed_.notify_all();
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;

private:
    agent_volume& of_;
};

task<result<void>> agent_volume::take_turn()
{
    const auto until = engine_.time().steady_now() + turn_within;
    while (filling_) {
        auto change = changed_.wait_past(changed_.version());
        const auto waited = co_await with_deadline(engine_.time(), until, std::move(change));
        if (waited.has_error())
            co_return error{errc::timed_out, "the agent is still being brought to the engine"};
    }
    co_return result<void>();
}

task<result<std::string>> agent_volume::made_at()
{
    volumes all(engine_);
    auto found = co_await all.inspect(name_, engine_.time().steady_now() + look_within);
    co_return found.has_error() ? result<std::string>(found.error()) : std::move(found->made_at);
}

task<result<bool>> agent_volume::is_as_filled()
{
    if (!filled_)
        co_return false;
    const auto there = co_await made_at();
    if (there.has_error() && there.error().code != errc::not_found)
        co_return there.error();
    co_return there.has_value() && *there == filled_;
}

/// Fills are exclusive: concurrent ones would replace the program while containers use it.
task<result<void>> agent_volume::fill(container_spec helper)
{
    do {
        const auto free = co_await take_turn();
        if (free.has_error())
            co_return free;
        const auto known = co_await is_as_filled();
        if (known.has_error())
            co_return known.error();
        if (*known)
            co_return result<void>();
    } while (filling_);    // another fill began meanwhile
    co_return co_await fill_now(std::move(helper));
}

task<result<void>> agent_volume::fill_now(container_spec helper)
{
    const turn mine(*this);
    filled_.reset();
    containers made_by(engine_);
    helper.binds = {{name_, std::string(agent_volume_directory), true, true}};
    auto made = co_await made_by.create(std::move(helper), engine_.time().steady_now() + fill_within);
    if (made.has_error())
        co_return made.error();
    auto done = co_await fill_through(made->id);
    const auto removed = co_await made_by.remove(made->id, engine_.time().steady_now() + clean_within);
    if (done.has_error() || removed.has_error())
        co_return done.has_error() ? done : removed;
    const auto there = co_await made_at();
    if (there.has_value())
        filled_ = *there;
    co_return done;
}

task<bool> agent_volume::is_filled(std::string container, steady_time deadline)
{
    containers in(engine_);
    const auto found = co_await in.get_archive(std::move(container), inside(mark), most_mark_bytes, deadline);
    co_return found.has_value();
}

task<result<void>> agent_volume::fill_through(std::string container)
{
    const auto deadline = engine_.time().steady_now() + fill_within;
    const bool whole = co_await is_filled(container, deadline);
    if (whole)
        co_return result<void>();
    auto load = [path = agent_path_] { return read_small_file(path, most_agent_bytes); };
    const auto program = co_await offload(workers_, std::move(load));
    if (!program || program->empty())
        co_return error{errc::runtime_unavailable, agent_path_ + " cannot be read: it belongs beside the server's executable"};
    containers in(engine_);
    const std::string directory(agent_volume_directory);
    auto agent = tar_of_program("agent", *program);
    auto done = co_await in.put_archive(container, directory, std::move(agent), deadline);
    if (done.has_error())
        co_return done;
    auto whole_mark = tar_of_program(mark, "");
    done = co_await in.put_archive(container, directory, std::move(whole_mark), deadline);
    co_return done;
}

}    // namespace caisson::docker
