#include "app/server/skill_parts.hpp"

#include "adapters/schema/json_schema.hpp"
#include "adapters/yaml/yaml_reader.hpp"
#include "app/server/disk_room.hpp"
#include "core/exec/skill/skill_runs.hpp"

#include <limits>

namespace caisson {

namespace {

constexpr std::size_t page = 64;

package_limits limits_of(const skills_config& config)
{
    package_limits limits;
    limits.max_package_bytes = config.max_package_bytes;
    limits.max_entries = config.max_files;
    limits.max_total_bytes = config.max_unpacked_bytes;
    limits.max_file_bytes = config.max_unpacked_bytes;
    return limits;
}

/// Limits for stored packages, whose digest is checked: the config's limits apply to new packages only.
package_limits limits_of_stored()
{
    constexpr auto most = std::numeric_limits<std::int64_t>::max() / 4;
    package_limits limits;
    limits.max_package_bytes = most;
    limits.max_entries = most;
    limits.max_total_bytes = most;
    limits.max_file_bytes = most;
    return limits;
}

package_rules rules_of(const server_config& config)
{
    const auto limits = skill_limits(config);
    package_rules rules;
    rules.wall_ms = limits.wall_ms;
    rules.memory_bytes = limits.memory_bytes;
    rules.cpu_milli = limits.cpu_milli;
    rules.runtimes = config.runtimes;
    rules.read_yaml = &read_yaml;
    rules.check_schema = &check_json_schema;
    rules.judge_image = [images = host_images(config.images.host), standard = config.default_runtime](
                            const skill_manifest& skill, std::string_view image) {
        const auto& runtime = skill.runtime.empty() ? standard : skill.runtime;
        return has_images(runtime) ? image_verdict() : images.judge(image, skill.command.empty() ? skill.lang : std::string());
    };
    return rules;
}

skill_bounds skill_bounds_of(const skills_config& config)
{
    return {config.max_skills_per_tenant, config.max_versions_per_skill, config.max_revisions_per_version, config.max_packages_per_tenant,
        config.max_bytes_per_tenant};
}

schema_checks::runner checks_on(worker_pool& workers)
{
    return [&workers](std::function<schema_checks::answer()> work) { return offload(workers, std::move(work)); };
}

/// Packages of executions that have a sandbox and have not ended.
task<result<std::set<tree_key>>> packages_in_use(execution_store* executions)
{
    std::set<tree_key> used;
    for (execution_id last;;) {
        auto some = co_await executions->unfinished(last, page);
        if (some.has_error())
            co_return some.error();
        if (some->empty())
            co_return used;
        last = some->back().row.id;
        for (const auto& each : *some)
            if (each.row.sandbox && each.spec.skill)
                used.emplace(each.row.tenant, each.spec.skill->digest);
    }
}

tree_claims claims_on(execution_store& executions)
{
    return [all = &executions] { return packages_in_use(all); };
}

std::function<std::uint64_t()> free_bytes_of(std::filesystem::path directory)
{
    return [directory = std::move(directory)] { return space_of(directory).free; };
}

}    // namespace

skill_parts::skill_parts(
    const server_config& config, storage& store, storage_gate may_store, io_executor executor, timers& time, logger& log)
    : schemas_(executor, time, &check_json_schema, checks_on(schema_workers_), {.at_once = checks_at_once})
    , trees_({executor, time, log, workers_, store.skills(), store.contents(), claims_on(store.executions())},
          {config.data_dir / "skills", config.skills.cache_bytes, limits_of_stored()})
    , intake_(workers_, {config.data_dir / "uploads", limits_of(config.skills), rules_of(config), free_bytes_of(config.data_dir)})
    , registry_({time, log, store.skills(), store.contents(), intake_, skill_bounds_of(config.skills),
          static_cast<std::size_t>(config.skills.max_uploads),
          [this](const tenant_id& tenant, const std::string& digest) { trees_.forget(tenant, digest); }, std::move(may_store)})
{
}

task<> skill_parts::prepare()
{
    co_await intake_.prepare();
    co_await trees_.prepare();
}

}    // namespace caisson
