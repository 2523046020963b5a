#pragma once

#include "core/exec/skill_images.hpp"
#include "core/exec/skill_request.hpp"
#include "core/exec/types.hpp"
#include "core/skills/ports.hpp"

#include <map>
#include <string>
#include <vector>

namespace caisson {

struct skill_run_options {
    execution_limit_ranges limits;                                    // as skill_limits() makes them
    std::vector<std::string> images;                                  // allowed for tenants that have no list of their own
    std::map<std::string, std::vector<std::string>> tenant_images;    // by the tenant's name
    std::vector<std::string> runtimes;                                // enabled ones; a manifest may name one
    std::int64_t max_output_bytes = 1 << 20;
};

/// Ranges and defaults of skills' limits: those of the config's limits, with what its `skills` says, each within the former's range.
execution_limit_ranges skill_limits(const server_config& config);
skill_run_options skill_options_of(const server_config& config);

/// Turns requests that name a skill into executions. I/O thread.
class skill_runs {
public:
    /// `finder` and `checks` outlive it. `checks` may be null: then schemas are not looked at.
    skill_runs(skill_finder& finder, schema_checker* checks, skill_run_options options, host_images images);

    /// Completes `spec`, whose other fields the request gave. Nothing is stored. Errors, each with every mistake of its kind:
    /// errc::not_found `skill not found: NAME@VERSION`; errc::conflict if it is disabled; errc::bad_request for input that does not
    /// match the schema, variables that are not allowed, limits out of range; errc::image_not_allowed; what schema_checker says.
    task<result<execution_spec>> prepare(tenant_id tenant, std::string tenant_name, execution_spec spec, skill_request asked);

private:
    result<std::string> image_for(const skill_manifest& manifest, const std::string& tenant_name) const;
    task<result<void>> check_input(tenant_id tenant, std::string schema, shared_bytes input);

    skill_finder& finder_;
    schema_checker* checks_;
    skill_run_options options_;
    host_images images_;
};

}    // namespace caisson
