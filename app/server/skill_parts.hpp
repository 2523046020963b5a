#pragma once

#include "app/skills/file_intake.hpp"
#include "app/skills/tree_cache.hpp"
#include "core/base/config.hpp"
#include "core/exec/skill/schema_checks.hpp"
#include "core/skills/skill_service.hpp"
#include "storage/storage.hpp"

namespace caisson {

/// The skill registry and its parts: uploads in `<data>/uploads`, unpacked packages in `<data>/skills`. All arguments outlive it.
class skill_parts {
public:
    skill_parts(const server_config& config, storage& store, storage_gate may_store, io_executor executor, timers& time, logger& log);

    skill_service& registry() { return registry_; }
    tree_cache& trees() { return trees_; }
    worker_pool& workers() { return workers_; }
    schema_checks& schemas() { return schemas_; }

    /// Removes unfinished uploads and unpacked packages of an earlier server. Call before executions are recovered. Throws
    /// std::system_error.
    task<> prepare();

private:
    static constexpr std::size_t checks_at_once = 2;

    worker_pool workers_{"caisson-skills", 2};
    worker_pool schema_workers_{"caisson-schemas", checks_at_once};
    schema_checks schemas_;
    tree_cache trees_;
    file_intake intake_;
    skill_service registry_;
};

}    // namespace caisson
