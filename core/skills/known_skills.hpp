#pragma once

#include "core/base/change_clock.hpp"
#include "core/skills/types.hpp"

#include <list>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

/// What the skills mean that were asked for last, until one of that name is changed. I/O thread.
class known_skills {
public:
    static constexpr std::size_t most = 64;
    /// Of the texts of one manifest; longer ones are not kept.
    static constexpr std::size_t most_bytes = 64 << 10;

    /// To be held from before a skill is changed until that is durable.
    change_clock::change changing(const tenant_id& tenant, std::string_view name) { return clock_.begin(tenant.str(), name); }

    using moment = std::optional<change_clock::moment>;
    /// To be asked before what is to be kept is read.
    moment now(const tenant_id& tenant, std::string_view name) const { return clock_.now(tenant.str(), name); }
    /// Keeps what `version`, as it was asked for, means; not if the skill was changed since `read_since`.
    void keep(std::string version, skill_revision what, moment read_since);
    /// Null if it is not known; valid until the next call.
    const skill_revision* find(const tenant_id& tenant, std::string_view name, std::string_view version);

private:
    struct entry {
        std::string version;
        skill_revision what;
        change_clock::moment since;
    };

    change_clock clock_;
    std::list<entry> entries_;    // used last in front
};

}    // namespace caisson
