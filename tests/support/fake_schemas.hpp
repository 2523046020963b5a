#pragma once

#include "core/async/notifier.hpp"
#include "core/skills/ports.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace caisson::testing {

/// Answers checks of schemas. Between hold() and release() they wait, as for threads that are busy.
class fake_schema_checker : public schema_checker {
public:
    using answer = result<std::vector<field_problem>>;

    task<answer> check(tenant_id, asker who, std::string schema, shared_bytes json) override
    {
        askers.push_back(who);
        while (held_) {
            const auto changed = std::make_shared<notifier>(co_await asio::this_coro::executor);
            waiting_.push_back(changed);
            co_await changed->wait_past(changed->version());
        }
        co_return judge(schema, json.view());
    }

    void hold() { held_ = true; }
    void release()
    {
        held_ = false;
        for (const auto& each : std::exchange(waiting_, {}))
            if (const auto changed = each.lock())    // not with a server that was killed
                changed->notify_all();
    }

    /// Knob: what is found. May throw.
    std::function<answer(std::string_view schema, std::string_view json)> judge = [](auto, auto) { return std::vector<field_problem>(); };
    std::vector<asker> askers;    // of each check that was asked for

private:
    bool held_ = false;
    std::vector<std::weak_ptr<notifier>> waiting_;
};

}    // namespace caisson::testing
