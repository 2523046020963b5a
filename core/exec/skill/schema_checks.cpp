#include "core/exec/skill/schema_checks.hpp"

#include "core/async/deadline.hpp"

#include <algorithm>

namespace caisson {

namespace {

error busy(const std::string& why)
{
    return {errc::runtime_unavailable, "the check by the skill's schema has to wait too long: " + why + "; try again later"};
}

}    // namespace

/// Gives the place up, or the turn, however the check ends.
class schema_checks::place {
public:
    place(schema_checks& all, tenant_id tenant) : all_(all), tenant_(std::move(tenant)), waiter_(all_.stand_in_line(tenant_)) { }
    ~place() { all_.leave(tenant_, waiter_); }
    place(const place&) = delete;
    place& operator=(const place&) = delete;

    const waiter_ptr& waiter() const { return waiter_; }

private:
    schema_checks& all_;
    const tenant_id tenant_;
    const waiter_ptr waiter_;
};

schema_checks::schema_checks(io_executor executor, timers& time, schema_check check, runner elsewhere, schema_check_options options)
    : executor_(executor), time_(time), check_(check), elsewhere_(std::move(elsewhere)), options_(options)
{
}

std::size_t schema_checks::waiting() const
{
    std::size_t count = 0;
    for (const auto& [tenant, line] : lines_)
        count += line.waiting.size();
    return count;
}

task<schema_checks::answer> schema_checks::check(tenant_id tenant, asker who, std::string schema, shared_bytes json)
{
    const bool may_come_again = who == asker::request;
    const auto line = lines_.find(tenant);
    if (may_come_again && line != lines_.end() && line->second.waiting.size() >= options_.max_waiting)
        co_return busy(std::to_string(options_.max_waiting) + " of the tenant's wait");
    const place mine(*this, std::move(tenant));
    if (!mine.waiter()->has_turn) {
        const auto patience = may_come_again ? options_.request_patience : options_.execution_patience;
        auto turn = wait_for_turn(mine.waiter());
        static_cast<void>(co_await with_deadline(time_, time_.steady_now() + patience, std::move(turn)));
        if (!mine.waiter()->has_turn)
            co_return busy("its turn did not come within " + std::to_string(patience.count() / 1'000) + " seconds");
    }
    auto work = [check = check_, schema = std::move(schema), json = std::move(json)] { return check(schema, json.view()); };
    auto running = elsewhere_(std::move(work));
    co_return co_await std::move(running);
}

task<> schema_checks::wait_for_turn(waiter_ptr waiter)
{
    while (!waiter->has_turn) {
        const auto seen = waiter->came.version();
        co_await waiter->came.wait_past(seen);
    }
}

schema_checks::waiter_ptr schema_checks::stand_in_line(const tenant_id& tenant)
{
    auto added = std::make_shared<waiter>(executor_);
    auto& line = lines_[tenant];
    line.waiting.push_back(added);
    if (!line.runs && line.waiting.size() == 1)
        turns_.push_back(tenant);
    give_turns();
    return added;
}

void schema_checks::leave(const tenant_id& tenant, const waiter_ptr& waiter)
{
    auto& line = lines_.find(tenant)->second;
    if (waiter->has_turn) {
        --running_;
        line.runs = false;
        if (!line.waiting.empty())
            turns_.push_back(tenant);
    } else {
        std::erase(line.waiting, waiter);
        if (!line.runs && line.waiting.empty())
            std::erase(turns_, tenant);
    }
    if (!line.runs && line.waiting.empty())
        lines_.erase(tenant);
    give_turns();
}

void schema_checks::give_turns()
{
    while (running_ < options_.at_once && !turns_.empty()) {
        auto& line = lines_.find(turns_.front())->second;
        turns_.pop_front();
        const auto next = std::move(line.waiting.front());
        line.waiting.pop_front();
        line.runs = true;
        ++running_;
        next->has_turn = true;
        next->came.notify_all();
    }
}

}    // namespace caisson
