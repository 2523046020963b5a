#pragma once

#include "core/exec/execution.hpp"
#include "core/exec/limit_watch.hpp"
#include "core/exec/record/execution_recorder.hpp"
#include "core/exec/services.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

struct compile_order;

/// Makes a program of code that is to be compiled: the compiler runs in the program's sandbox, as an execution of its own at the agent,
/// and everything that it started is gone before the program starts. One that an earlier server left is ended, and it is compiled anew:
/// the program has not started. See docs/internals/executions.md. I/O thread only.
class compile_stage {
public:
    /// Both outlive it.
    compile_stage(const execution_services& services, execution_recorder& recorder) : use_(services), recorder_(recorder) { }

    /// True: there is a program to start. If not, the attempt is over: `watched` says how the compilation failed, or that it was
    /// cancelled, or the execution's start_failure or lost say why.
    task<bool> compile(execution_ptr exec, std::shared_ptr<limit_watch> watched);

private:
    struct compile_run;

    // compile_stage.cpp
    static result<void> open_compiler_group(execution& exec, compile_run& run);
    task<std::optional<protocol::exec_number>> end_earlier_compilers(execution_ptr exec);
    void start_compiler(const execution_ptr& exec, protocol::exec_number number, compile_run& run) const;
    protocol::spawn_request compile_request_for(const execution& exec) const;
    task<> watch_compiler(execution_ptr exec, std::shared_ptr<compile_run> run);
    void look_at_compiler(execution& exec, compile_run& run) const;
    task<> drain_compiler(execution_ptr exec, std::shared_ptr<compile_run> run);
    static void judge_compiler(execution& exec, compile_run& run, ending_facts& facts_of_program);
    static bool ended_plainly(const execution& exec, const compile_run& run);
    // compile_reuse.cpp
    compile_order order_of(execution& exec) const;
    bool may_keep_compiled(const execution& exec, const compile_inputs& inputs) const;
    task<bool> use_compiled(execution_ptr exec, std::shared_ptr<compile_order> order);
    task<> record_compiled(execution_ptr exec, std::shared_ptr<compile_order> order);
    task<std::optional<std::vector<placed_file>>> capture_compiled(execution_ptr exec, std::shared_ptr<compile_order> order);
    protocol::spawn_request capture_request(
        const execution& exec, const std::string& directory, collect_spec what, std::int64_t most_bytes) const;

    const execution_services& use_;
    execution_recorder& recorder_;
};

}    // namespace caisson
