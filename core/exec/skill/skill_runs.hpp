#pragma once

#include "core/exec/skill/skill_images.hpp"
#include "core/exec/skill/skill_request.hpp"
#include "core/exec/types.hpp"
#include "core/images/ports.hpp"
#include "core/languages/image_table.hpp"
#include "core/skills/ports.hpp"

#include <string>
#include <vector>

namespace caisson {

struct skill_run_options {
    execution_limit_ranges limits;        // as skill_limits() makes them
    std::vector<std::string> runtimes;    // enabled ones; a manifest may name one
    std::int64_t max_output_bytes = 1 << 20;
};

/// Ranges and defaults of skills' limits: those of the config's limits, with what its `skills` says, each within the former's range.
execution_limit_ranges skill_limits(const server_config& config);
skill_run_options skill_options_of(const server_config& config);

/// Turns requests that name a skill into executions. I/O thread.
class skill_runs {
public:
    /// `finder`, `checks` and `permissions` outlive it. `checks` may be null: then schemas are not looked at. What an image means is said
    /// by `on_host` for runtimes that run programs of this host, by `programs` for the others.
    skill_runs(skill_finder& finder, schema_checker* checks, image_permissions& permissions, skill_run_options options, host_images on_host,
        image_table programs);

    /// Completes `spec`, whose other fields the request gave. Nothing is stored. Errors, each with every mistake of its kind:
    /// errc::not_found `skill not found: NAME@VERSION`; errc::conflict if it is disabled; errc::bad_request for input that does not
    /// match the schema, variables that are not allowed, limits out of range; errc::image_not_allowed; what schema_checker says.
    task<result<execution_spec>> prepare(tenant_id tenant, std::string tenant_name, execution_spec spec, skill_request asked);

private:
    task<result<std::string>> image_for(tenant_id tenant, std::string tenant_name, std::string own, std::string lang);
    result<void> take_image(execution_spec& spec, const skill_manifest& manifest, const std::string& image) const;
    task<result<void>> choose_image(
        tenant_id tenant, std::string tenant_name, execution_spec* spec, const skill_manifest* manifest, bool runs_own_program);
    task<result<void>> check_input(tenant_id tenant, std::string schema, shared_bytes input);

    skill_finder& finder_;
    schema_checker* checks_;
    skill_run_options options_;
    image_permissions& permissions_;
    host_images on_host_;
    image_table programs_;
};

}    // namespace caisson
