#pragma once

#include "app/compile/entry_index.hpp"
#include "app/compile/host_tools.hpp"
#include "core/async/offload.hpp"
#include "core/async/task_group.hpp"
#include "core/async/timers.hpp"
#include "core/base/error.hpp"
#include "core/base/log.hpp"
#include "core/exec/compile/compile_cache.hpp"

#include <filesystem>
#include <set>
#include <string>

namespace caisson {

/// The collaborators of a kept_results; all outlive it.
struct kept_results_services {
    io_executor executor;
    timers& time;
    logger& log;
    worker_pool& work;
    host_tools& tools;
    hasher_factory make_hasher;
};

struct kept_results_options {
    std::filesystem::path directory;    // absolute
    std::string boot;                   // boot id of the host; results of other boots are removed
    compile_cache_bounds bounds;
};

/// A compile cache with one file per result, each with a digest; a damaged file is never used, and is removed. Files are written
/// atomically, so a killed server leaves no partial result. I/O thread only.
class kept_results : public compile_cache {
public:
    kept_results(kept_results_services use, kept_results_options options);

    /// Adopts the results of an earlier server. Call before the first find(). Logs a failure, and turns the cache off.
    task<> prepare();
    /// Scans the host's tools, so that the first find() need not.
    task<> look_ahead();

    std::int64_t most_bytes() const override { return is_on() ? bounds_.most_entry_bytes : -1; }
    task<answer> find(compile_inputs inputs) override;
    void keep(compile_inputs inputs, std::string key, compiled_result result) override;

    /// Finishes a file being written and cancels the rest. Nothing is cached afterwards.
    task<> stop() { return tasks_.stop(); }
    /// Returns when nothing is being written or removed.
    task<> idle() { return tasks_.wait_idle(); }

    bool is_on() const { return ready_ && bounds_.most_bytes > 0; }
    std::int64_t bytes() const { return index_.bytes(); }

private:
    struct job;
    struct question;
    task<> answer_to(std::shared_ptr<question> asked, compile_inputs inputs);
    task<result<answer>> ask(compile_inputs inputs);
    task<std::string> key_of(compile_inputs inputs);
    task<std::shared_ptr<const compiled_result>> read(tenant_id tenant, std::string key);
    task<> store(std::shared_ptr<job> what);
    task<> remove(std::vector<entry_index::entry> gone);
    void note_trouble(const std::string& what);
    std::filesystem::path place_of(const tenant_id& tenant, const std::string& key) const;

    const kept_results_services use_;
    const kept_results_options options_;
    const compile_cache_bounds bounds_;
    const std::filesystem::path top_;
    entry_index index_;
    std::set<std::pair<tenant_id, std::string>> storing_;
    std::int64_t storing_bytes_ = 0;
    std::uint64_t next_staging_ = 0;
    bool ready_ = false;
    bool in_trouble_ = false;    // and a warning was logged
    task_group tasks_;           // destroyed first
};

}    // namespace caisson
