#pragma once

#include "core/exec/collect/collector.hpp"
#include "core/exec/execution.hpp"
#include "core/exec/sandbox_provider.hpp"
#include "core/exec/services.hpp"
#include "core/pool/idle_gate.hpp"

#include <string>

namespace caisson {

/// Keeps what a program that has ended left: its files, which the agent's own program collects inside the sandbox, and a skill's output.
/// I/O thread only.
class collect_stage {
public:
    /// All outlive it.
    collect_stage(const execution_services& services, idle_gate& gate, sandbox_provider& provider)
        : use_(services), idle_gate_(gate), provider_(provider)
    {
    }

    /// With the order of the program: what is left then is known with its end, if it is little.
    void ask_for_files_at_end(execution& exec) const;
    /// Before the end is decided: a skill's output is part of it.
    task<> keep_files(execution_ptr exec);
    /// Of one whose end is in the log and not in the record: what an earlier server collected has no record either.
    task<> keep_files_again(execution_ptr exec);
    static void mark_files(execution& exec);

    /// What is wrong with a whole output; empty if nothing is. Ask while the row does not say an end yet: nobody sees one that is not
    /// judged.
    task<std::string> problem_of_output(execution_ptr exec);
    static void judge_output(execution& exec, const std::string& problem);

private:
    task<result<collected_files>> collect_files(execution_ptr exec);
    task<collected_files> take_files(execution_ptr exec);
    task<collected_files> fetch_files(execution_ptr exec);
    collector::job job_of(const execution& exec) const;

    const execution_services& use_;
    idle_gate& idle_gate_;
    sandbox_provider& provider_;
};

}    // namespace caisson
