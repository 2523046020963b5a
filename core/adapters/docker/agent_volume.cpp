#include "core/adapters/docker/agent_volume.hpp"

#include "core/adapters/docker/container_plan.hpp"
#include "core/adapters/docker/small_tar.hpp"
#include "core/adapters/spawn/small_file.hpp"

namespace caisson::docker {

namespace {

using namespace std::chrono_literals;

constexpr auto fill_within = 60s;    // over a slow line
constexpr auto clean_within = 10s;
constexpr std::size_t most_agent_bytes = 64 << 20;
constexpr std::size_t most_mark_bytes = 16 << 10;
/// Written last: where it is, the agent is whole.
constexpr const char* mark = "whole";

std::string inside(std::string_view name) { return std::string(agent_volume_directory) + "/" + std::string(name); }

}    // namespace

task<result<void>> agent_volume::fill(container_spec helper)
{
    if (filled_)
        co_return result<void>();
    containers made_by(engine_);
    helper.binds = {{name_, std::string(agent_volume_directory), true, true}};
    auto made = co_await made_by.create(std::move(helper), engine_.time().steady_now() + fill_within);
    if (made.has_error())
        co_return made.error();
    auto done = co_await fill_through(made->id);
    const auto removed = co_await made_by.remove(made->id, engine_.time().steady_now() + clean_within);
    filled_ = done.has_value();
    co_return done.has_error() ? done : removed;
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
