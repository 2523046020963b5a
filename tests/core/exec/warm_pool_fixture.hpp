#pragma once

#include "tests/core/exec/service_world.hpp"

namespace caisson {

inline sandbox_limits limits_of(const execution_spec& spec)
{
    const auto& limits = spec.limits;
    return {limits.memory_bytes, limits.cpu_milli, limits.pids, limits.disk_bytes, limits.inodes};
}

/// A server that keeps two sandboxes ready for what service_world::program() needs.
class WarmPool : public ::testing::Test {
protected:
    explicit WarmPool(pool_bounds bounds = {.idle = 2, .most = 8, .most_bytes = 64 << 20}) : w({.pool = bounds}) { }

    sandbox_shape shape() const
    {
        sandbox_spec spec;
        spec.limits = limits_of(service_world::program());
        return {"fake", spec, nullptr, ""};
    }
    void keep()
    {
        w.service().keep_ready(shape());
        EXPECT_TRUE(w.advance_until([&] { return ready() == 2; }));
    }
    std::size_t ready() { return w.service().ready_sandboxes("fake"); }
    /// The sandbox in which the execution runs or ran.
    testing::fake_box& box_of(const execution_id& id)
    {
        for (std::size_t i = 0; i < w.runtime.created(); ++i)
            if (w.box(i).spec.id == w.row(id).sandbox)
                return w.box(i);
        throw std::logic_error("no sandbox was recorded");
    }
    /// A sandbox as its program leaves it.
    static void holds(testing::fake_box& box, std::int64_t bytes)
    {
        box.disk = disk_usage{.bytes_used = bytes};
        box.usage.memory_peak_bytes = 1 << 20;
    }
    std::size_t running_programs()
    {
        std::size_t count = 0;
        for (std::size_t i = 0; i < w.runtime.created(); ++i)
            count += w.box(i).agent && w.box(i).agent->is_running() ? 1 : 0;
        return count;
    }
    /// Runs to its end.
    execution_id run_once(execution_spec spec = service_world::program())
    {
        const auto id = w.run(std::move(spec));
        box_of(id).agent->exit(0);
        EXPECT_EQ(w.ended(id).status, execution_status::success);
        return id;
    }

    /// So many that run at the same time, to their ends.
    void run_at_once(int count, const execution_spec& spec = service_world::program())
    {
        std::vector<execution_id> all;
        for (int i = 0; i < count; ++i)
            all.push_back(w.run(spec));
        for (const auto& id : all) {
            box_of(id).agent->exit(0);
            w.ended(id);
        }
    }

    service_world w;
};

}    // namespace caisson
