#include "core/admission/runtime_breakers.hpp"

#include <utility>
#include <vector>

namespace caisson {

using state = circuit_breaker::state;

/// The breaker of one runtime and who waits for it.
struct runtime_breakers::gate {
    gate(std::string name, const clock& now, logger& logs) : runtime(std::move(name)), time(now), log(logs) { }

    void succeeded();
    void failed(circuit_breaker::permit which);
    void abandoned(circuit_breaker::permit which);
    using line = std::map<std::uint64_t, candidate*>;    // by ticket
    /// Of each tenant, beginning behind the one that had the last trial.
    std::vector<const line*> lines() const;
    /// One of each tenant, again and again: they come into the queue side by side.
    void wake_all() const;
    /// Of each tenant.
    void wake_first() const;

    const std::string runtime;
    const clock& time;
    logger& log;
    circuit_breaker breaker;
    std::int64_t since_ms = 0;    // of the last outage
    steady_time since;
    bool over = false;                    // its server ended: what is left of it tells nobody
    std::map<tenant_id, line> waiting;    // no empty entries
    tenant_id last_trial;
};

void runtime_breakers::gate::succeeded()
{
    const bool was_closed = breaker.state_at(time.steady_now()) == state::closed;
    breaker.succeeded();
    if (was_closed)
        return;
    log.info("a runtime works again", {{"runtime", runtime}});
    wake_all();
}

void runtime_breakers::gate::failed(circuit_breaker::permit which)
{
    const auto now = time.steady_now();
    const auto before = breaker.state_at(now);
    breaker.failed(which, now);
    if (before == state::open || breaker.state_at(now) != state::open)
        return;
    if (before == state::closed) {
        since_ms = time.now_ms();
        since = now;
    }
    log.error("a runtime keeps failing and is left alone for a while",
        {{"runtime", runtime}, {"faults", breaker.faults()}, {"pause_ms", breaker.pause_left(now).count()}});
    wake_first();    // they wait for another time now
}

void runtime_breakers::gate::abandoned(circuit_breaker::permit which)
{
    breaker.abandoned(which);
    if (which.trial)
        wake_first();
}

std::vector<const runtime_breakers::gate::line*> runtime_breakers::gate::lines() const
{
    std::vector<const line*> out;
    const auto middle = waiting.upper_bound(last_trial);
    for (auto each = middle; each != waiting.end(); ++each)
        out.push_back(&each->second);
    for (auto each = waiting.begin(); each != middle; ++each)
        out.push_back(&each->second);
    return out;
}

void runtime_breakers::gate::wake_all() const
{
    std::multimap<std::size_t, candidate*> by_place;    // in a tenant's line
    for (const auto* each : lines()) {
        std::size_t place = 0;
        for (const auto& [ticket, candidate] : *each)
            by_place.emplace(place++, candidate);
    }
    for (const auto& [place, candidate] : by_place)
        candidate->wake();
}

void runtime_breakers::gate::wake_first() const
{
    for (const auto* each : lines())
        each->begin()->second->wake();
}

runtime_breakers::~runtime_breakers()
{
    for (const auto& [runtime, gate] : gates_)
        gate->over = true;
}

std::shared_ptr<runtime_breakers::gate> runtime_breakers::gate_of(const std::string& runtime)
{
    auto& found = gates_[runtime];
    if (!found)
        found = std::make_shared<gate>(runtime, time_, log_);
    return found;
}

std::optional<runtime_breakers::permit> runtime_breakers::ask(const std::string& runtime, const tenant_id& tenant)
{
    auto gate = gate_of(runtime);
    const auto granted = gate->breaker.ask(time_.steady_now());
    if (!granted)
        return std::nullopt;
    if (granted->trial)
        gate->last_trial = tenant;
    return permit(std::move(gate), *granted);
}

runtime_breakers::permit::~permit()
{
    if (of_ && !of_->over)
        of_->abandoned(which_);
}

void runtime_breakers::permit::succeeded()
{
    if (const auto of = std::exchange(of_, nullptr))
        of->succeeded();
}

void runtime_breakers::permit::failed()
{
    if (const auto of = std::exchange(of_, nullptr))
        of->failed(which_);
}

std::unique_ptr<runtime_breakers::place> runtime_breakers::line_up(const std::string& runtime, std::shared_ptr<candidate> candidate)
{
    return std::make_unique<place>(gate_of(runtime), std::move(candidate));
}

runtime_breakers::place::place(std::shared_ptr<gate> of, std::shared_ptr<candidate> candidate)
    : of_(std::move(of)), candidate_(std::move(candidate))
{
    of_->waiting[candidate_->tenant()].emplace(candidate_->ticket(), candidate_.get());
}

runtime_breakers::place::~place()
{
    const auto line = of_->waiting.find(candidate_->tenant());
    const bool was_first = is_first();
    line->second.erase(candidate_->ticket());
    if (line->second.empty())
        of_->waiting.erase(line);
    else if (was_first && !of_->over)
        line->second.begin()->second->wake();
}

bool runtime_breakers::place::is_first() const { return of_->waiting.at(candidate_->tenant()).begin()->second == candidate_.get(); }

bool runtime_breakers::place::may_ask() const
{
    const auto now = of_->time.steady_now();
    return of_->breaker.lets(now) && (of_->breaker.state_at(now) == state::closed || is_first());
}

steady_time runtime_breakers::place::next_look() const
{
    const auto now = of_->time.steady_now();
    const auto left = of_->breaker.pause_left(now);
    return is_first() && left.count() > 0 ? now + left : steady_time::max();
}

runtime_breakers::view runtime_breakers::of(const std::string& runtime) const
{
    const auto found = gates_.find(runtime);
    if (found == gates_.end())
        return {};
    const auto& gate = *found->second;
    const auto now = time_.steady_now();
    const auto is = gate.breaker.state_at(now);
    if (is == state::closed)
        return {is, gate.breaker.faults()};
    return {is, gate.breaker.faults(), gate.breaker.pause_left(now), gate.since_ms, gate.since};
}

std::string runtime_breakers::outage(const std::string& runtime) const
{
    return "the runtime \"" + runtime + "\" has been unavailable since " + to_rfc3339(of(runtime).since_ms);
}

}    // namespace caisson
