#pragma once

#include "core/exec/collect/collect_stage.hpp"
#include "core/exec/compile/compile_stage.hpp"
#include "core/exec/execution.hpp"
#include "core/exec/limit_watch.hpp"
#include "core/exec/record/execution_recorder.hpp"
#include "core/exec/sandbox_provider.hpp"
#include "core/exec/services.hpp"

#include <chrono>
#include <cstddef>
#include <memory>

namespace caisson {

/// Runs an attempt's program in its sandbox, compiled before if that is to be, and holds it to its limits until it has ended and its
/// output is heard. I/O thread only.
class program_stage {
public:
    /// All outlive it.
    program_stage(const execution_services& services, sandbox_provider& provider, execution_recorder& recorder, compile_stage& compiling,
        collect_stage& collecting)
        : use_(services), provider_(provider), recorder_(recorder), compile_stage_(compiling), collect_stage_(collecting)
    {
    }

    /// Orders the program. There is a link to the agent.
    void start_program(execution& exec);
    /// Until the program has ended, or nothing more will be heard of it: how it ended.
    task<ending_facts> run_to_end(execution_ptr exec);
    /// In a fresh sandbox what the leader left behind ends with it; then both streams are at their end. Where nothing is left the agent is
    /// not woken for that.
    task<> drain_streams(execution_ptr exec);
    /// Writes into the row what was used.
    static void fill_usage(execution& exec, const ending_facts& facts);

private:
    std::shared_ptr<limit_watch> watch_of(const execution& exec) const;
    task<> supervise(execution_ptr exec, std::shared_ptr<limit_watch> watched);
    std::chrono::milliseconds between_looks() const;
    void look(execution& exec, limit_watch& watched);
    bool is_surely_over(const execution& exec) const;
    task<> hear_streams_out(execution_ptr exec);

    const execution_services& use_;
    sandbox_provider& provider_;
    execution_recorder& recorder_;
    compile_stage& compile_stage_;
    collect_stage& collect_stage_;
    std::size_t supervised_ = 0;    // executions whose programs run
};

}    // namespace caisson
