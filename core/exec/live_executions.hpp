#pragma once

#include "core/async/task_group.hpp"
#include "core/exec/execution.hpp"
#include "core/exec/execution_life.hpp"
#include "core/exec/record/kept_records.hpp"
#include "core/exec/services.hpp"

#include <chrono>
#include <string>
#include <unordered_map>

namespace caisson {

/// The executions that have not ended, and the tasks that carry them out. I/O thread only.
class live_executions {
public:
    /// All outlive it. `kept` counts what ended executions take.
    live_executions(const execution_services& services, execution_life& life, kept_records& kept)
        : use_(services), life_(life), kept_(kept), runs_(services.executor, services.log)
    {
    }

    /// A new one, or one whose log an earlier server stored up to `stored`. Nobody finds it before run() or launch().
    execution_ptr make(execution_row row, execution_spec spec, log_extent stored) const;
    /// Commits its log, `log_patience` after what comes, and carries it out; with `in_sandbox` its program may run already.
    void launch(const execution_ptr& exec, bool in_sandbox, std::chrono::milliseconds log_patience);
    /// Runs `work` for it, which ends with leave(). `name` is for logs.
    void run(const execution_ptr& exec, const std::string& name, task<> work);
    /// Runs `work` to the execution's end, whatever it throws.
    task<> to_its_end(execution_ptr exec, task<> work);
    void leave(const execution& exec);
    /// A task of an execution that is not known yet.
    void run_later(std::string name, task<> work) { runs_.spawn(std::move(name), std::move(work)); }

    /// Null: no such one is carried out here.
    execution_ptr find(const tenant_id& tenant, const execution_id& id) const;
    const std::unordered_map<execution_id, execution_ptr>& all() const { return all_; }
    std::size_t size() const { return all_.size(); }

    /// Whether what starts now may be kept when it ends. Errors: errc::quota_exceeded with facts, and those of services.rules.may_store.
    result<void> may_keep_more(const tenant_id& tenant) const;

    /// From now on no new ones are accepted, and nobody waits for an end.
    void close();
    bool is_closed() const { return closed_; }
    /// Returns when no task runs.
    task<> wait_idle() { return runs_.wait_idle(); }
    /// Stops the tasks where they are.
    task<> stop_tasks() { return runs_.stop(); }
    void forget_all() { all_.clear(); }

private:
    const execution_services& use_;
    execution_life& life_;
    kept_records& kept_;
    task_group runs_;
    std::unordered_map<execution_id, execution_ptr> all_;
    bool closed_ = false;
};

}    // namespace caisson
