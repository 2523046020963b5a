#pragma once

#include "core/admission/admission.hpp"
#include "core/exec/execution.hpp"
#include "core/exec/services.hpp"

#include <chrono>
#include <optional>

namespace caisson {

/// Writes executions into the stores, from the first attempt to the end, and tries again until that is done: an accepted execution always
/// ends in the record. I/O thread only.
class execution_recorder {
public:
    /// Both outlive it.
    execution_recorder(const execution_services& services, admission& queue) : use_(services), queue_(queue) { }

    /// What its log has. Returns when all of it is stored.
    task<> store_log(execution_ptr exec);
    /// What its row says between two attempts.
    task<> store_schedule(execution_ptr exec);
    /// Before the program starts: a next server finds it running, and cannot ask for this any more.
    task<> store_compile_report(execution_ptr exec);
    /// Its end, with the log if left.whole_log has it, or, of one that is not recorded yet, all of it at once or nothing. It is `ended`
    /// then, and its viewers see that.
    task<> store_end(execution_ptr exec);

    /// Says the end in the log; the log withholds that until it is published.
    static void append_exit_event(execution& exec);
    /// A tenant whose events find no room on the disk keeps others from running no longer than place_grace; nothing of it is lost.
    void give_place_up(execution& exec);

    /// Of one that has ended and cannot be stored.
    static constexpr std::chrono::seconds place_grace{30};

private:
    task<> store_final(execution_ptr exec);
    task<> store_first_and_final(execution_ptr exec);
    task<std::optional<checkpoint_end>> checkpoint_of(execution_ptr exec);
    task<> reload_checkpoint_note(execution_ptr exec);

    const execution_services& use_;
    admission& queue_;
};

}    // namespace caisson
