#include "adapters/containers/package_entries.hpp"

#include "core/async/deadline.hpp"

#include <algorithm>

namespace caisson::docker {

namespace {

using namespace std::chrono_literals;

constexpr auto own_turn_within = 150s;    // for a concurrent fill

task<result<void>> until_free(timers* time, package_entry_ptr entry, notifier* changed)
{
    const auto until = time->steady_now() + own_turn_within;
    while (entry->busy) {
        auto change = changed->wait_past(changed->version());
        const auto waited = co_await with_deadline(*time, until, std::move(change));
        if (waited.has_error())
            co_return error{errc::timed_out, "the package is still being brought to the engine"};
    }
    co_return result<void>();
}

}    // namespace

package_use::package_use(package_entry_ptr of) : of_(std::move(of)) { ++of_->users; }
package_use::~package_use() { --of_->users; }
const std::string& package_use::volume() const { return of_->name; }
bool package_use::is_of(const std::string& made_at) const { return of_->made_at.empty() || of_->made_at == made_at; }

package_entry_ptr package_entries::find(const std::string& name)
{
    auto& entry = entries_[name];
    if (!entry)
        entry = std::make_shared<package_entry>(package_entry{.name = name});
    return entry;
}

void package_entries::forget(const package_entry_ptr& entry)
{
    if (entry->users == 0)
        entries_.erase(entry->name);
}

std::vector<package_entry_ptr> package_entries::idle(const std::vector<std::string>& names)
{
    std::vector<package_entry_ptr> out;
    for (const auto& each : names)
        if (auto entry = find(each); entry->is_idle())
            out.push_back(std::move(entry));
    std::ranges::sort(out, {}, [](const package_entry_ptr& each) { return each->last_use; });
    return out;
}

task<result<void>> package_entries::wait_for_turn(timers& time, package_entry_ptr entry)
{
    return until_free(&time, std::move(entry), &changed_);
}

}    // namespace caisson::docker
