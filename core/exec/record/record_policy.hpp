#pragma once

#include "core/async/timers.hpp"
#include "core/exec/types.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace caisson {

/// Which record of an execution is its first. What the client was answered for is durable in each case.
enum class first_record : std::uint8_t {
    accepted,    // before anything is done for it
    begun,       // with its sandbox, written while its program starts; the answer waits for it
    ended        // with its end and its log, if that comes soon; else as `begun`
};

/// What an execution asks for, as far as it matters to when it is recorded.
struct record_wishes {
    bool has_key = false;            // an Idempotency-Key stands for one execution, whatever happens
    bool awaits_end = false;         // the client is answered at the end
    bool compiles = false;           // a compiler runs before the program
    bool is_large = false;           // more than small_spec_bytes, with stdin: written in pieces, ahead
    bool may_be_repeated = false;    // by its policy, after its program ran
    bool is_judged_later = false;    // a checkpoint or a check by a schema follows its end
    bool keeps_stdin_open = false;
    bool wants_files = false;
};
record_wishes wishes_of(const execution_spec& spec, bool has_key, bool awaits_end);

/// What the server has for it at this moment.
struct record_chances {
    bool has_sandbox = false;    // one is ready, or is made within milliseconds
    bool has_place = false;      // among those that run
    bool has_runtime = false;    // enabled, and its breaker closed
};

/// What is known of a program that runs and has no record.
struct unrecorded_state {
    bool has_failed = false;            // it could not be started, or cannot be heard any more
    bool log_is_short = true;           // it may be stored with the record
    bool files_come_with_end = true;    // the agent sends them by itself
};

/// Says when records of executions are written: the rules of docs/adr/0013, 0015 and 0019. No I/O.
class record_policy {
public:
    struct options {
        /// The record of an end comes first where the last first record took this long: there a second one would be waited for,
        std::chrono::milliseconds slow_record{1};
        /// or where that is less than this ago: a disk that rested longer is worth waking early, and in between records are work.
        std::chrono::milliseconds disk_rests_after{250};
    };
    explicit record_policy(options with) : with_(with) { }

    first_record choose(const record_wishes& of, const record_chances& has, steady_time now) const;
    /// A first record was stored, in that time.
    void note(steady_time::duration took, steady_time now);

    /// Whether the end may still be the first record.
    static bool may_end_first(const record_wishes& of, const unrecorded_state& at);

private:
    bool records_are_slow(steady_time now) const;

    options with_;
    steady_time::duration last_took_{};
    std::optional<steady_time> last_at_;
};

}    // namespace caisson
