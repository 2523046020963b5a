#include "core/sandbox/living_sandbox.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace caisson {

namespace {

/// Between two tries at an agent that cannot be reached.
constexpr std::chrono::milliseconds first_link_pause(20);
constexpr std::chrono::milliseconds longest_link_pause(1000);

task<result<std::unique_ptr<protocol::byte_stream>>> connect_to_agent(std::shared_ptr<sandbox> of) { return of->connect(); }

}    // namespace

/// What the link and the wait for the end tell, and to whom.
struct living_sandbox::carrying {
    log_field holder;
    loss_handler lost;
    bool is_lost = false;

    std::string name() const { return std::string(holder.value.as_string()); }

    void lose(const std::string& why, bool agent_died)
    {
        is_lost = true;
        lost(why, agent_died);
    }

    /// Keeps the link going as long as there is an agent; wait_for_end() finds out when there is none.
    static task<> run_link(std::shared_ptr<carrying> self, std::shared_ptr<protocol::agent_link> link, timers* time, logger* log)
    {
        for (auto pause = first_link_pause; !self->is_lost; pause = std::min(pause * 2, longest_link_pause)) {
            const auto end = co_await link->run();
            if (end.has_value())
                co_return;
            const auto code = end.error().code;
            if (code == errc::gone || code == errc::conflict) {
                self->lose("the sandbox's agent cannot be heard any more: " + end.error().detail, false);
                co_return;
            }
            log->warning("a sandbox's agent cannot be reached; trying again", {self->holder, {"what", end.error().detail}});
            co_await time->wait_for(pause);
        }
    }

    static task<> wait_for_end(std::shared_ptr<carrying> self, std::shared_ptr<sandbox> of)
    {
        const auto why = co_await of->ended();
        self->lose("the sandbox ended: " + why, true);
    }
};

living_sandbox::living_sandbox(
    io_executor executor, timers& time, logger& log, protocol::link_options options, std::unique_ptr<sandbox> box)
    : executor_(executor), time_(time), log_(log), options_(std::move(options)), box_(std::move(box)), numbers_(options_.epoch)
{
}

void living_sandbox::resume()
{
    auto connect = [box = box_] { return connect_to_agent(box); };
    link_ = protocol::make_agent_link(executor_, time_, log_, std::move(connect), options_);
}

task<result<void>> living_sandbox::open(steady_time deadline)
{
    resume();
    return link_->open(deadline);
}

void living_sandbox::carry(log_field holder, loss_handler lost)
{
    carrying_ = std::make_shared<carrying>(carrying{std::move(holder), std::move(lost)});
    carriers_ = std::make_unique<task_group>(executor_, log_);
    carriers_->spawn("link of " + carrying_->name(), carrying::run_link(carrying_, link_, &time_, &log_));
    is_watched_ = false;
}

void living_sandbox::watch()
{
    if (!std::exchange(is_watched_, true))
        carriers_->spawn("watch of " + carrying_->name(), carrying::wait_for_end(carrying_, box_));
}

void living_sandbox::give_up()
{
    if (carrying_)
        carrying_->is_lost = true;
}

task<> living_sandbox::close()
{
    close_link();
    if (carriers_)
        co_await carriers_->stop();
    carriers_.reset();
    link_.reset();
}

void living_sandbox::close_link()
{
    if (link_)
        link_->close();
}

}    // namespace caisson
