#include "tests/support/fake_runtime.hpp"

#include "tests/support/fake_images.hpp"

#include <algorithm>
#include <stdexcept>

namespace caisson::testing {

namespace {

using call = fake_runtime::call;
using box_ptr = std::shared_ptr<fake_box>;

/// Of the first program.
class fake_group : public execution_group {
public:
    explicit fake_group(box_ptr box) : box_(std::move(box)) { }

    std::vector<int> join_descriptors() const override { return box_->join; }
    group_usage usage() const override
    {
        if (box_->usage_throws == 0)
            return box_->usage;
        --box_->usage_throws;
        throw std::runtime_error("the group cannot be read");
    }
    void kill() noexcept override
    {
        ++box_->group_kills;
        box_->agent->kill_group();
    }
    bool kills_by_itself() const override { return box_->group_kills_by_itself; }
    bool is_surely_empty() const noexcept override { return box_->group_is_surely_empty; }
    std::size_t population() const override { return box_->agent->is_running() ? 1 : 0; }
    task<result<void>> remove() override
    {
        kill();
        box_->limits.erase(first_program_group);
        co_return result<void>();
    }

private:
    box_ptr box_;
};

/// Of the first program's compiler.
class fake_compiler_group : public execution_group {
public:
    explicit fake_compiler_group(box_ptr box) : box_(std::move(box)) { }

    std::vector<int> join_descriptors() const override { return {}; }
    group_usage usage() const override { return box_->compiler_usage; }
    void kill() noexcept override
    {
        box_->agent->compiler.kill();
        box_->agent->turn();
    }
    std::size_t population() const override { return box_->agent->compiler.is_running() ? 1 : 0; }
    task<result<void>> remove() override
    {
        kill();
        box_->limits.erase(first_compiler_group);
        co_return result<void>();
    }

private:
    box_ptr box_;
};

/// Of a later program or its compiler. Nothing runs in it: a fake agent has one program.
class fake_empty_group : public execution_group {
public:
    fake_empty_group(box_ptr box, group_name name) : box_(std::move(box)), name_(name) { }

    std::vector<int> join_descriptors() const override { return {}; }
    group_usage usage() const override { return {}; }
    void kill() noexcept override { }
    bool is_surely_empty() const noexcept override { return true; }
    std::size_t population() const override { return 0; }
    task<result<void>> remove() override
    {
        box_->limits.erase(name_);
        co_return result<void>();
    }

private:
    box_ptr box_;
    group_name name_;
};

std::unique_ptr<execution_group> make_group(const box_ptr& box, group_name name)
{
    if (name == first_program_group)
        return std::make_unique<fake_group>(box);
    if (name == first_compiler_group)
        return std::make_unique<fake_compiler_group>(box);
    return std::make_unique<fake_empty_group>(box, name);
}

std::string state_text(const sandbox_id& id) { return R"({"fake":")" + id.str() + R"("})"; }

class fake_sandbox : public sandbox {
public:
    fake_sandbox(fake_runtime& maker, box_ptr box) : maker_(maker), box_(std::move(box)) { }

    const sandbox_id& id() const override { return box_->spec.id; }
    std::string runtime_state() const override { return state_text(id()); }
    std::string image_digest() const override { return box_->spec.image.empty() ? std::string() : digest_of(box_->spec.image); }
    task<result<std::unique_ptr<protocol::byte_stream>>> connect() override;
    result<std::unique_ptr<execution_group>> open_group(group_name name, group_limits limits) override;
    result<void> claim(const sandbox_limits& limits, execution_group& made) override;
    std::optional<disk_usage> disk() const override { return box_->disk; }
    std::int64_t uncounted_bytes(std::int64_t enough) const override { return std::min(enough, box_->uncounted_bytes); }
    std::optional<steady_time> made_at() const override { return box_->made_at; }
    task<std::string> ended() override { return fake_agent::ended(box_->agent); }
    task<result<void>> pause() override { co_return error{errc::not_implemented, "fake sandboxes do not pause"}; }
    task<result<void>> resume() override { co_return error{errc::not_implemented, "fake sandboxes do not pause"}; }
    task<result<void>> stop() override;
    task<result<void>> destroy() override;

    fake_box& box() { return *box_; }

private:
    fake_runtime& maker_;
    box_ptr box_;
};

task<result<std::unique_ptr<protocol::byte_stream>>> fake_sandbox::connect()
{
    const auto box = box_;
    const auto failure = co_await maker_.enter(call::connect);
    if (failure)
        co_return *failure;
    if (!box->started)
        co_return error{errc::runtime_unavailable, "the agent was not started"};
    co_return fake_agent::connect(box->agent);
}

result<std::unique_ptr<execution_group>> fake_sandbox::open_group(group_name name, group_limits limits)
{
    if (const auto failure = maker_.planned(call::open_group))
        return *failure;
    box_->limits[name] = limits;
    return make_group(box_, name);
}

result<void> fake_sandbox::claim(const sandbox_limits& limits, execution_group&)
{
    if (auto failure = maker_.planned(call::claim))
        return std::move(*failure);
    box_->is_claimed = true;
    box_->claimed_limits = limits;
    return {};
}

task<result<void>> fake_sandbox::stop()
{
    ++box_->stops;
    box_->agent->die("the sandbox was stopped");
    co_return result<void>();
}

task<result<void>> fake_sandbox::destroy()
{
    const auto box = box_;
    const auto failure = co_await maker_.enter(call::destroy);
    if (failure)
        co_return *failure;
    box->agent->die("the sandbox was destroyed");
    box->destroyed = true;
    co_return result<void>();
}

}    // namespace

bool fake_runtime::can_serve(const sandbox_spec& ready, const sandbox_spec& wanted) const
{
    return alike_but_for_groups(ready, wanted) && (adapts || ready.limits == wanted.limits);
}

std::optional<error> fake_runtime::planned(call which)
{
    auto& waiting = planned_[which];
    if (waiting.empty())
        return std::nullopt;
    auto next = std::move(waiting.front());
    waiting.pop_front();
    if (next.passes)
        return std::nullopt;
    if (next.throws)
        throw std::runtime_error(next.what.detail);
    return std::move(next.what);
}

task<std::optional<error>> fake_runtime::enter(call which)
{
    co_await gates_[which].pass();
    co_return planned(which);
}

task<> fake_runtime::probe() { co_return; }

task<result<std::unique_ptr<sandbox>>> fake_runtime::create(sandbox_spec spec)
{
    const auto failure = co_await enter(call::create);
    if (failure)
        co_return *failure;
    if (spec.is_awaited && prepared_ > 0)
        --prepared_;
    auto box = std::make_shared<fake_box>();
    box->spec = std::move(spec);
    if (now) {
        box->made_at = now();
        box->agent->monotonic_ns = [clock = now] {
            return static_cast<std::uint64_t>(std::chrono::nanoseconds(clock().time_since_epoch()).count());
        };
    }
    if (prepare)
        prepare(*box);
    boxes_.push_back(box);
    co_return std::unique_ptr<sandbox>(std::make_unique<fake_sandbox>(*this, std::move(box)));
}

task<result<void>> fake_runtime::prepare_ahead(sandbox_id, sandbox_limits limits)
{
    ++tries_at_preparing;
    const auto failure = co_await enter(call::prepare);
    if (failure)
        co_return *failure;
    if (prepared_ >= room_for_prepared)
        co_return error{errc::runtime_unavailable, "there is no room for more"};
    prepared_with = limits;
    ++prepared_;
    co_return result<void>();
}

task<> fake_runtime::discard_prepared(std::size_t kept)
{
    prepared_ = std::min(prepared_, kept);
    co_return;
}

task<result<void>> fake_runtime::start(sandbox& created)
{
    auto& box = static_cast<fake_sandbox&>(created).box();
    const auto failure = co_await enter(call::start);
    if (failure)
        co_return *failure;
    box.started = true;
    co_return result<void>();
}

task<result<std::unique_ptr<sandbox>>> fake_runtime::recover(sandbox_id id, std::string runtime_state)
{
    const auto failure = co_await enter(call::recover);
    if (failure)
        co_return *failure;
    const auto found = std::ranges::find(boxes_, id, [](const auto& each) { return each->spec.id; });
    if (found == boxes_.end() || runtime_state != state_text(id))
        co_return error{errc::gone, "there is no such sandbox"};
    if ((*found)->destroyed || (*found)->agent->dead()) {
        (*found)->destroyed = true;
        co_return error{errc::gone, "the sandbox's agent does not run any more"};
    }
    co_return std::unique_ptr<sandbox>(std::make_unique<fake_sandbox>(*this, *found));
}

/// Besides boxes_ every handle and group of a sandbox owns its box.
static bool is_held(const box_ptr& box) { return box.use_count() > 1; }

task<result<std::vector<sandbox_id>>> fake_runtime::left_overs()
{
    std::vector<sandbox_id> found;
    for (const auto& each : boxes_) {
        if (!each->destroyed && !is_held(each))
            found.push_back(each->spec.id);
    }
    const auto failure = co_await enter(call::left_overs);
    if (failure)
        co_return *failure;
    co_return found;
}

task<result<void>> fake_runtime::remove_left_over(sandbox_id id, std::string)
{
    const auto failure = co_await enter(call::remove_left_over);
    if (failure)
        co_return *failure;
    const auto found = std::ranges::find(boxes_, id, [](const auto& each) { return each->spec.id; });
    if (found == boxes_.end())
        co_return result<void>();
    if (is_held(*found))
        co_return error{errc::conflict, "the sandbox is in use"};
    (*found)->agent->die("the sandbox was swept");
    (*found)->destroyed = true;
    co_return result<void>();
}

std::size_t fake_runtime::live() const
{
    return static_cast<std::size_t>(std::ranges::count(boxes_, false, [](const auto& each) { return each->destroyed; }));
}

}    // namespace caisson::testing
