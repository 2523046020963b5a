#pragma once

#include "core/base/change_clock.hpp"
#include "core/skills/types.hpp"

#include <list>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// Caches resolved skill revisions. A change to a skill invalidates its entries. I/O thread.
class known_skills {
public:
    static constexpr std::size_t most = 64;
    /// Limit on the text in one manifest; larger manifests are not cached.
    static constexpr std::size_t most_bytes = 64 << 10;

    /// Hold the result from before a change to a skill until that change is durable.
    change_clock::change changing(const tenant_id& tenant, std::string_view name) { return clock_.begin(tenant.str(), name); }

    using moment = std::optional<change_clock::moment>;
    /// Call before reading the revision that keep() gets.
    moment now(const tenant_id& tenant, std::string_view name) const { return clock_.now(tenant.str(), name); }
    /// Caches `what` under `version` as requested ("" and "latest" too), unless the skill has changed since `read_since`.
    void keep(std::string version, skill_revision what, moment read_since);
    /// Null if it is not cached. The pointer is valid until the next call.
    const skill_revision* find(const tenant_id& tenant, std::string_view name, std::string_view version);

private:
    struct entry {
        std::string version;
        skill_revision what;
        change_clock::moment since;
    };

    change_clock clock_;
    std::list<entry> entries_;    // most recently used first
};

}    // namespace caisson
