#pragma once

#include "core/async/task.hpp"
#include "core/auth/ports.hpp"
#include "core/base/config.hpp"
#include "core/exec/admission_bounds.hpp"

#include <map>

namespace caisson {

/// The bounds of the config, without those of single tenants.
admission_bounds bounds_of(const server_config& config);

/// The bounds of single tenants by their ids. A tenant that does not exist yet is made, so that a key made for it later
/// finds its bounds. `keys`, `ids` and `config` outlive the call. Errors: what the store says.
task<result<std::map<tenant_id, tenant_bounds>>> find_tenants(
    key_store* keys, id_factory* ids, const server_config* config, std::int64_t now_ms);

}    // namespace caisson
