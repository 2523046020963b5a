#include "core/pool/warm_pool.hpp"

#include "core/async/deadline.hpp"
#include "core/async/without_exceptions.hpp"
#include "core/base/count_guard.hpp"

#include <algorithm>
#include <map>

namespace caisson {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t makers = 2;
constexpr std::size_t most_kinds = 16;
constexpr std::size_t most_tries = 2;    // of one claim
constexpr auto make_within = 60s;
constexpr std::int64_t interpreter_bytes = 8 << 20;
constexpr std::int64_t preload_bytes = 32 << 20;
/// Longest waits for the idle gate: while some of the kind are ready, and while at least half of the wanted number is.
constexpr std::chrono::milliseconds short_patience = 40ms;
constexpr std::chrono::milliseconds long_patience = 250ms;
/// While files are collected the makers stand still up to three times for one, and still make as many in a second as are asked for in one.
constexpr std::chrono::milliseconds half_second = 500ms;
/// The host it was made of may have been changed since: packages, the image's tag.
constexpr std::chrono::milliseconds longest_age = 15min;
constexpr auto between_looks = 5s;
constexpr std::chrono::milliseconds first_pause = 500ms;
constexpr std::chrono::milliseconds longest_pause = 60s;

std::chrono::milliseconds pause_after(std::size_t failures)
{
    constexpr std::size_t most_doublings = 7;
    return std::min(first_pause * (1 << std::min(failures, most_doublings)), longest_pause);
}

task<> wait_past(std::shared_ptr<notifier> what, std::uint64_t seen) { co_await what->wait_past(seen); }

}    // namespace

warm_pool::warm_pool(sandbox_services services, idle_gate& gate)
    : use_(std::move(services))
    , idle_gate_(gate)
    , changed_(use_.executor)
    , makers_(use_.executor, use_.log)
    , watchers_(use_.executor, use_.log)
    , ends_(use_.executor, use_.log)
{
}

void warm_pool::start()
{
    if (!use_.sources.pool)
        return;
    for (std::size_t i = 0; i < makers; ++i)
        makers_.spawn("sandboxes kept ready", fill());
}

void warm_pool::keep(sandbox_shape shape)
{
    if (!use_.sources.pool || use_.sources.pool->idle == 0)
        return;
    if (const auto added = find_or_add(shape))
        added->least = added->shape.interpreter ? 1 : use_.sources.pool->idle;
    changed_.notify_all();
}

runtime* warm_pool::runtime_of(const sandbox_shape& shape) const { return use_.sources.find(shape.runtime); }

warm_pool::kind_ptr warm_pool::find(const sandbox_shape& wanted) const
{
    const auto* where = runtime_of(wanted);
    for (const auto& each : kinds_)
        if (where != nullptr && each->shape.runtime == wanted.runtime && each->shape.image_digest == wanted.image_digest &&
            each->shape.interpreter == wanted.interpreter && where->can_serve(each->shape.spec, wanted.spec))
            return each;
    return nullptr;
}

/// Nothing if there are too many kinds that are in use, or sandboxes of this one cannot wait.
warm_pool::kind_ptr warm_pool::find_or_add(const sandbox_shape& wanted)
{
    if (auto found = find(wanted))
        return found;
    const auto* where = runtime_of(wanted);
    if (where == nullptr || !where->traits().isolates || !where->can_serve(wanted.spec, wanted.spec))
        return nullptr;
    if (kinds_.size() >= most_kinds && !forget_oldest())
        return nullptr;
    auto added = std::make_shared<kind>();
    added->shape = wanted;
    added->shape.tree.reset();    // held by those that are ready, and while one is made
    kinds_.push_back(added);
    return added;
}

/// The one that was not asked for for the longest time.
bool warm_pool::forget_oldest()
{
    const auto age = [](const kind_ptr& each) {
        return std::pair(each->least > 0 || each->making > 0, each->demand.last().value_or(steady_time()));
    };
    const auto oldest = std::ranges::min_element(kinds_, {}, age);
    if ((*oldest)->least > 0 || (*oldest)->making > 0)
        return false;
    while (!(*oldest)->idle.empty())
        let_go(**oldest, 0, "too many kinds are asked for");
    kinds_.erase(oldest);
    return true;
}

std::optional<sandbox_lease> warm_pool::claim(const sandbox_shape& wanted)
{
    if (!use_.sources.pool || stopping_)
        return std::nullopt;
    const auto of = find_or_add(wanted);
    if (of) {
        of->demand.note(use_.time.steady_now());
        of->shape.tree = wanted.tree;    // lent to the makers until the demand is over
    }
    auto claimed = of ? take_from(of, wanted) : std::nullopt;
    if (of && of->idle.empty()) {    // else whoever claimed it may have its program started first
        idle_gate_.release_waiters(idle_gate::work::making);
        changed_.notify_all();
    }
    if (claimed || !wanted.interpreter)
        return claimed;
    auto plain = wanted;
    plain.interpreter.reset();
    const auto instead = find(plain);    // what is kept of it follows its own demand
    return instead ? take_from(instead, plain) : std::nullopt;
}

bool warm_pool::has_ready(const sandbox_shape& wanted) const
{
    const auto is_there = [this](const sandbox_shape& shape) {
        const auto of = find(shape);
        return of && !of->idle.empty();
    };
    auto plain = wanted;
    plain.interpreter.reset();
    return !stopping_ && (is_there(wanted) || is_there(plain));
}

std::optional<sandbox_lease> warm_pool::take_from(kind_ptr of, const sandbox_shape& wanted)
{
    for (std::size_t tries = 0; tries < most_tries && !of->idle.empty(); ++tries) {
        auto taken = std::move(of->idle.front());
        of->idle.erase(of->idle.begin());
        taken.what.lease.hold = std::make_unique<claim_hold>(std::move(taken.let_go));
        const auto claimed = taken.what.lease.home->box().claim(wanted.spec.limits, *taken.what.lease.group);
        if (claimed.has_value()) {
            of->failures = 0;
            return std::move(taken.what.lease);
        }
        use_.log.warning("a sandbox that was kept ready cannot be used", {{"what", claimed.error().detail}});
        ends_.spawn("end of a ready sandbox", destroy(std::make_shared<warm_sandbox>(std::move(taken.what))));
    }
    return std::nullopt;
}

std::size_t warm_pool::target(const kind& of, steady_time now) const { return std::max(of.least, of.demand.worth(now)); }

std::size_t warm_pool::ready(std::string_view runtime) const
{
    std::size_t count = 0;
    for (const auto& each : kinds_)
        if (runtime.empty() || each->shape.runtime == runtime)
            count += each->idle.size();
    return count;
}

/// Of one.
std::int64_t warm_pool::idle_bytes(const sandbox_shape& shape) const
{
    const auto interpreter = !shape.interpreter                   ? 0
                             : use_.sources.pool->preload.empty() ? interpreter_bytes
                                                                  : interpreter_bytes + preload_bytes;
    return runtime_of(shape)->idle_bytes() + interpreter;
}

warm_pool::amount warm_pool::totals() const
{
    amount all;
    for (const auto& each : kinds_) {
        const auto those = each->idle.size() + each->making;
        all.count += those;
        all.bytes += static_cast<std::int64_t>(those) * idle_bytes(each->shape);
    }
    return all;
}

bool warm_pool::fits(amount beside, const kind& another) const
{
    return beside.count < use_.sources.pool->most && beside.bytes + idle_bytes(another.shape) <= use_.sources.pool->most_bytes;
}

std::size_t warm_pool::lacking(const kind& of, steady_time now) const
{
    const auto there = of.idle.size() + of.making;
    const auto wanted = of.next_try <= now && runtime_of(of.shape)->capabilities().available ? target(of, now) : 0;
    return wanted > there ? wanted - there : 0;
}

std::chrono::milliseconds warm_pool::patience(const kind& of) const
{
    const auto wanted = target(of, use_.time.steady_now());
    if (!of.idle.empty() && 2 * of.idle.size() >= wanted)
        return long_patience;
    const auto usual = of.idle.empty() ? 0ms : short_patience;
    if (!idle_gate_.is_collecting())
        return usual;
    const std::chrono::milliseconds keeps_up = half_second / static_cast<std::int64_t>(std::max<std::size_t>(wanted, 1));
    return std::min(keeps_up, long_patience);
}

/// One of which there is none, else the one that lacks most.
warm_pool::kind_ptr warm_pool::next_to_make(steady_time now)
{
    kind_ptr chosen;
    std::size_t most_lacking = 0;
    for (const auto& each : kinds_) {
        const auto lacks = lacking(*each, now);
        if (lacks > 0 && each->idle.size() + each->making == 0 && (fits(totals(), *each) || make_room_for(*each)))
            return each;
        if (lacks > most_lacking && fits(totals(), *each)) {
            chosen = each;
            most_lacking = lacks;
        }
    }
    return chosen;
}

/// Of kinds of which several are ready, and of those that are kept for their demand only if `needed` is not: nothing if that is not enough.
bool warm_pool::make_room_for(const kind& needed)
{
    auto left = totals();
    std::map<kind*, std::size_t> given;
    const auto can_give = [&](const kind_ptr& each) {
        const auto there = each->idle.size() - given[each.get()];
        const std::size_t kept = needed.least > 0 && each->least == 0 ? 0 : 1;
        return there > kept ? there - kept : 0;
    };
    while (!fits(left, needed)) {
        const auto from = std::ranges::max_element(kinds_, {}, can_give);
        if (from == kinds_.end() || can_give(*from) == 0)
            return false;
        ++given[from->get()];
        --left.count;
        left.bytes -= idle_bytes((*from)->shape);
    }
    for (const auto& [from, count] : given)
        for (std::size_t i = 0; i < count; ++i)
            let_go(*from, 0, "another kind is asked for");
    return true;
}

steady_time warm_pool::next_look(steady_time now) const
{
    auto look = now + between_looks;
    for (const auto& each : kinds_)
        if (each->next_try > now)
            look = std::min(look, each->next_try);
    return look;
}

void warm_pool::let_go(kind& from, std::size_t number, std::string_view why)
{
    auto taken = std::move(from.idle.at(number));
    from.idle.erase(from.idle.begin() + static_cast<std::ptrdiff_t>(number));
    taken.let_go->notify_all();
    use_.log.debug("a sandbox that was kept ready goes", {{"sandbox", taken.what.lease.home->box().id().str()}, {"why", why}});
    ends_.spawn("end of a ready sandbox", destroy(std::make_shared<warm_sandbox>(std::move(taken.what))));
}

/// Nobody speaks to an agent meanwhile, which may count its lease from the last word.
std::chrono::milliseconds warm_pool::longest_wait() const { return std::min(longest_age, use_.sources.link.lease / 2); }

/// What waits for too long, and what nobody asks for any more.
void warm_pool::trim(steady_time now)
{
    for (const auto& each : kinds_) {
        while (!each->idle.empty() && now - each->idle.front().since >= longest_wait())
            let_go(*each, 0, "it waited for long");
        const auto wanted = target(*each, now);
        while (each->idle.size() > wanted)
            let_go(*each, 0, "the demand is smaller");
        if (wanted == 0)
            each->shape.tree.reset();
    }
}

task<> warm_pool::fill()
{
    while (!stopping_) {
        const auto now = use_.time.steady_now();
        const auto seen = changed_.version();
        trim(now);
        if (const auto first = next_to_make(now)) {
            co_await idle_gate_.wait(idle_gate::work::making, patience(*first));
            const auto next = next_to_make(use_.time.steady_now());
            if (next && !stopping_)
                co_await make_for(next);
            continue;
        }
        auto change = changed_.wait_past(seen);
        static_cast<void>(co_await with_deadline(use_.time, next_look(now), std::move(change)));
    }
}

task<> warm_pool::make_for(kind_ptr wanted)
{
    const count_guard guard(wanted->making);
    auto made = std::make_shared<warm_sandbox>();
    std::exception_ptr failure;
    result<void> done;
    try {
        auto making = without_exceptions(make(wanted, made));
        done = co_await with_deadline(use_.time, use_.time.steady_now() + make_within, std::move(making));
    } catch (...) {
        failure = std::current_exception();
    }
    const auto now = use_.time.steady_now();
    if (!failure && done.has_value() && !stopping_) {
        auto released = std::make_shared<notifier>(use_.executor);
        watchers_.spawn("watch of a ready sandbox", watch(wanted, made->lease.home->box().id(), made->lease.home->box().ended(), released));
        wanted->idle.push_back({std::move(*made), now, std::move(released)});
        co_return;
    }
    ends_.spawn("end of a sandbox that could not be made ready", destroy(made));
    if (failure && stopping_)
        std::rethrow_exception(failure);
    if (failure || done.has_error()) {
        wanted->next_try = now + pause_after(wanted->failures++);
        use_.log.warning(
            "no sandbox can be kept ready; trying again", {{"runtime", wanted->shape.runtime}, {"image", wanted->shape.spec.image},
                                                              {"what", failure ? "it was cut off" : done.error().detail}});
    }
}

/// One that ends by itself is no use to anybody.
task<> warm_pool::watch(kind_ptr of, sandbox_id id, task<std::string> end, std::shared_ptr<notifier> released)
{
    auto leaving = wait_past(released, released->version());
    const auto first = co_await race(std::move(end), std::move(leaving));
    const auto found = std::ranges::find_if(of->idle, [&](const idle_one& each) { return each.what.lease.home->box().id() == id; });
    if (first.index() == 1 || found == of->idle.end()) {    // it was claimed, and another may be made
        changed_.notify_all();
        co_return;
    }
    use_.log.warning("a sandbox that was kept ready ended", {{"sandbox", id.str()}, {"what", std::get<0>(first)}});
    of->next_try = use_.time.steady_now() + pause_after(of->failures++);
    let_go(*of, static_cast<std::size_t>(found - of->idle.begin()), "it ended");
    changed_.notify_all();
}

void warm_pool::close()
{
    stopping_ = true;
    for (const auto& each : kinds_)
        while (!each->idle.empty())
            let_go(*each, each->idle.size() - 1, "the server stops");
    changed_.notify_all();
}

task<> warm_pool::stop(steady_time until)
{
    close();
    co_await makers_.stop();
    co_await watchers_.stop();
    auto ended = ends_.wait_idle();
    if ((co_await with_deadline(use_.time, until, std::move(ended))).has_error())
        use_.log.warning("some sandboxes that were kept ready are not removed; the next server does it");
    co_await ends_.stop();
}

}    // namespace caisson
