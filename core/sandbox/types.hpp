#pragma once

#include "core/base/ids.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace caisson {

enum class sandbox_state { creating, running, paused, stopped, destroyed, failed, lost };

/// Limits of a whole sandbox. All apply together; zero never means "unlimited".
struct sandbox_limits {
    std::int64_t memory_bytes = 0;
    std::int64_t cpu_milli = 0;    // thousandths of one core
    std::int64_t pids = 0;
    std::int64_t disk_bytes = 0;
    std::int64_t inodes = 0;
    auto operator<=>(const sandbox_limits&) const = default;
};

/// Who needs a sandbox. An execution holds the one that was made for it, until its end. A tenant holds one of its own until it gives it up,
/// or until the sandbox expires.
enum class holder_kind { execution, tenant };

struct holder_ref {
    holder_kind kind = holder_kind::execution;
    std::string id;    // of the execution or the tenant; empty in records of releases that did not store it
    bool operator==(const holder_ref&) const = default;
};

/// The record of a sandbox.
struct sandbox_row {
    sandbox_id id;
    tenant_id tenant;
    holder_ref holder;
    std::string runtime;
    sandbox_state state = sandbox_state::creating;
    std::string runtime_state;    // JSON for runtime::recover(); opaque to others
    std::string spec;             // JSON: what the tenant asked for; empty for an execution's
    std::map<std::string, std::string> labels;
    std::string cause;    // why the sandbox ended; empty before
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> expires_at_ms;    // nothing: when its holder does not need it any more
    std::optional<std::int64_t> ended_at_ms;
};

std::string_view to_string(sandbox_state state);
std::optional<sandbox_state> sandbox_state_from(std::string_view text);
std::string_view to_string(holder_kind kind);
std::optional<holder_kind> holder_kind_from(std::string_view text);

}    // namespace caisson
