#pragma once

#include "core/base/ids.hpp"
#include "core/base/shared_bytes.hpp"
#include "core/files/types.hpp"
#include "core/retry/types.hpp"
#include "core/runtime/types.hpp"
#include "core/threads/types.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

enum class execution_kind { command, shell, code, skill };
enum class execution_status { queued, running, success, failed, timeout, cancelled, interrupted };

/// What ended the leader. See docs/architecture.md "Verdicts".
enum class verdict { exited, signaled, wall_limit, cpu_limit, memory_limit, output_limit, cancelled, lost, runtime_error };

/// A limit that was met, whatever the exit was.
enum class limit_kind { memory, pids, disk, inodes, output };

enum class on_output_limit { truncate, kill };

struct execution_limits {
    std::int64_t wall_ms = 30'000;
    std::int64_t cpu_ms = 0;    // CPU time of the whole group; default wall_ms × cpus
    std::int64_t memory_bytes = 512 << 20;
    std::int64_t cpu_milli = 500;    // "cpus" on the wire, as a decimal number
    std::int64_t pids = 128;
    std::int64_t disk_bytes = 256 << 20;
    std::int64_t inodes = 16'384;
    std::int64_t file_bytes = 0;    // largest single file; default disk_bytes
    std::int64_t open_files = 1'024;
    std::int64_t stack_bytes = 8 << 20;    // of a process's main thread; of new threads the default size
    std::int64_t max_output_bytes = 16 << 20;
};

/// What an execution is promised while it runs. What a sandbox writes to its disk lies in memory.
inline std::uint64_t promised_memory(const execution_limits& limits)
{
    return static_cast<std::uint64_t>(limits.memory_bytes + limits.disk_bytes);
}

struct pty_size {
    int cols = 80;
    int rows = 24;
};

/// A file to be put into the working directory before the start. `path` is relative, without "..".
struct input_file {
    std::string path;
    shared_bytes content;         // copies of a spec share it
    std::uint32_t mode = 0644;    // permission bits
};

/// The package that an execution of kind skill runs, as it was resolved when the request came.
struct skill_run {
    std::string name;
    std::string version;
    std::string digest;           // of the package, lower-case hex
    std::string image;            // the skill's own or its language's default
    std::string interpreter;      // what `image` stands for on a runtime without images: "/usr/bin/python3"; empty: nothing stands for it
    std::string instructions;     // for SKILL_INSTRUCTIONS
    std::string output_schema;    // what output.json has to match; empty: anything
    bool operator==(const skill_run&) const = default;
};

/// Whom to tell of the end.
struct webhook_spec {
    std::string url;       // http or https
    std::string secret;    // signs what is sent; never shown
    bool operator==(const webhook_spec&) const = default;
};

/// Of the compiler, whose processes are counted apart from the program's.
struct compile_limits {
    std::int64_t wall_ms = 60'000;
    std::int64_t cpu_ms = 60'000;
    std::int64_t memory_bytes = 512 << 20;
    bool operator==(const compile_limits&) const = default;
};

/// What runs in the sandbox before the program, to make it, with the request's files in the working directory.
struct compile_step {
    std::vector<std::string> argv;             // of the compiler
    std::string directory;                     // in which it starts, relative to the working directory; empty is the latter
    std::vector<std::string> host_argv;        // on runtimes without images, as execution_spec::host_argv
    std::map<std::string, std::string> env;    // "{work}" in a value stands for the working directory
    std::vector<input_file> files;             // that it needs besides the request's
    compile_limits limits;
};

/// A request that was checked: everything in it is in range. Kept with the record until the execution has ended. One member for
/// each field of the request.
struct execution_spec {
    execution_kind kind = execution_kind::command;
    std::string language;             // canonical name; empty unless kind is code
    std::vector<std::string> argv;    // what runs, resolved: [interpreter, file, args…] for code
    std::map<std::string, std::string> env;
    std::vector<input_file> files;    // the code's own file too
    std::string cwd;                  // absolute or relative to the working directory; empty is the latter
    shared_bytes stdin_data;
    bool stdin_open = false;
    std::optional<pty_size> pty;
    execution_limits limits;
    on_output_limit output_limit_action = on_output_limit::truncate;
    std::string runtime;
    std::string image;                     // what the sandbox is made of, on runtimes with images
    bool may_fall_back = false;            // the request names neither runtime nor image
    std::vector<std::string> host_argv;    // argv on runtimes without images, where it is another; empty: there it cannot run
    std::map<std::string, std::string> labels;
    bool cancel_on_disconnect = false;
    std::optional<skill_run> skill;    // there if and only if kind is skill
    shared_bytes input;                // of a skill: JSON text
    collect_spec collect;
    retry_policy retry;
    bool idempotent = false;    // running it twice does no harm
    std::optional<webhook_spec> webhook;
    std::optional<checkpoint_order> checkpoint;    // written in the transaction of its end
    std::optional<compile_step> compile;           // of code in a language that is compiled
};

struct execution_usage {
    std::optional<std::int64_t> cpu_ms;
    std::optional<std::int64_t> wall_ms;
    std::optional<std::int64_t> memory_peak_bytes;
    std::optional<std::int64_t> pids_peak;
    std::int64_t output_bytes = 0;    // of both streams, with what was cut
};

/// Milliseconds with fractions that each stage took; absent until it is over.
struct execution_stages {
    std::optional<double> queue_ms;
    std::optional<double> claim_ms;
    std::optional<double> start_ms;
    std::optional<double> agent_ms;
    std::optional<double> first_byte_ms;
    std::optional<double> run_ms;
    std::optional<double> collect_ms;
    std::string interpreter;    // "warm": it had been started before the claim; "cold": it could have been; empty: no question of that
};

/// How the compiler ended.
struct compile_report {
    execution_status status = execution_status::success;
    caisson::verdict verdict = caisson::verdict::exited;
    std::optional<int> exit_code;
    std::optional<int> signal;
    std::string output;    // the first 64 KiB of what it wrote, both streams as they came
    bool output_truncated = false;
    std::optional<std::int64_t> cpu_ms;
    std::optional<std::int64_t> wall_ms;
    bool cached = false;               // it did not run: the same had been compiled before
    std::int64_t cpu_before_us = 0;    // of the program's group, where the compiler's time counts in it too; not shown
};

/// One try of an execution that ended, or the one that runs.
struct execution_attempt {
    int number = 1;
    std::int64_t started_at_ms = 0;
    std::optional<std::int64_t> ended_at_ms;
    std::optional<attempt_fault> fault;    // why it was no success
    std::string error;                     // the same as a sentence
    std::optional<caisson::verdict> verdict;
    std::optional<int> exit_code;
    std::optional<int> signal;
    std::optional<sandbox_id> sandbox;
    std::uint64_t stdout_base = 0;    // where its output begins in the execution's log
    std::uint64_t stderr_base = 0;
    std::optional<std::int64_t> delay_ms;    // before the next
};

/// What a skill was given, and what it gave: JSON texts, empty where there is none.
struct execution_payload {
    /// Of a text that an execution's object shows; a larger one has an address of its own.
    static constexpr std::size_t most_shown_bytes = 1 << 20;

    shared_bytes input;
    shared_bytes output;
    std::uint64_t input_bytes = 0;    // also where the text is left out
    std::uint64_t output_bytes = 0;
};

/// An execution as it is kept. One member for each column.
struct execution_row {
    execution_id id;
    tenant_id tenant;
    execution_kind kind = execution_kind::command;
    execution_status status = execution_status::queued;
    std::optional<caisson::verdict> verdict;
    std::vector<limit_kind> limits_hit;
    std::optional<int> exit_code;
    std::optional<int> signal;
    std::string error;    // a sentence; empty on success
    std::string language;
    std::string runtime;
    std::optional<sandbox_id> sandbox;
    std::vector<std::string> degraded;    // controls that this host did not enforce
    std::map<std::string, std::string> labels;
    execution_limits limits;
    execution_usage usage;
    execution_stages stages;
    bool stdout_truncated = false;
    bool stderr_truncated = false;
    bool pty = false;
    std::int64_t created_at_ms = 0;
    std::optional<std::int64_t> started_at_ms;
    std::optional<std::int64_t> finished_at_ms;
    std::optional<std::int64_t> duration_ms;
    bool cancel_requested = false;                // durable, so that a restart does not forget it
    std::optional<std::size_t> queue_position;    // while it waits: 1 is the next; not stored
    std::string waits_for;                        // while it waits for more than its turn: what, a sentence; not stored
    std::string skill_name;
    std::string skill_version;
    std::string skill_digest;
    std::string image;
    std::string image_digest;     // "sha256:…" of the one that it ran in; empty before, and on runtimes without images
    std::string fallback_from;    // the runtime that it would have run on, had that one been able to
    std::string interpreter;
    std::vector<execution_attempt> attempts;             // those that were begun; more than one if it was tried again
    std::optional<std::int64_t> next_attempt_at_ms;      // while it waits for it (status queued)
    std::optional<collect_summary> collected;            // of what it left; nothing if nothing was asked for
    shared_bytes output;                                 // JSON text: a skill's end brings it; rows that are read are without
    std::shared_ptr<const execution_payload> payload;    // what is shown of it, with a skill's end that a service tells; never stored
    std::optional<checkpoint_note> checkpoint;           // with the end, if one was to be written
    std::optional<compile_report> compile;               // of the last attempt, once its compiler has ended
};

/// How many executions ended, and how. Those that were removed since are among them.
struct execution_tally {
    std::int64_t total = 0;
    std::int64_t success = 0;
    std::int64_t failed = 0;
    std::int64_t timeout = 0;
    std::int64_t cancelled = 0;
    std::int64_t interrupted = 0;
    std::int64_t duration_ms = 0;    // of all together
    bool operator==(const execution_tally&) const = default;
};
/// Of a tenant; the parts by name, of at most 1,000.
struct execution_totals {
    execution_tally all;
    std::int64_t kept_bytes = 0;    // what those that are still there take on the disk, about; their files are counted elsewhere
    std::map<std::string, execution_tally> by_language;
    std::map<std::string, execution_tally> by_skill;
};

/// What a skill was given, and what it gave.
enum class payload_part { input, output };

/// A piece of one of them.
struct payload_piece {
    shared_bytes bytes;
    std::uint64_t total_bytes = 0;    // of the whole text; 0: there is none
};

/// What a client's Idempotency-Key claims: the request that comes again under it is the same one.
struct idempotency_claim {
    std::string route;    // method and pattern; keys of different routes are apart
    std::string key;
    std::string fingerprint;    // of the body
};

/// A key that was used, as it is kept.
struct idempotency_record {
    tenant_id tenant;
    idempotency_claim claim;
    execution_id execution;
    std::int64_t created_at_ms = 0;
    std::int64_t expires_at_ms = 0;    // from then on it counts as never used
};

bool is_final(execution_status status);

std::string_view to_string(execution_kind value);
std::string_view to_string(execution_status value);
std::string_view to_string(caisson::verdict value);
std::string_view to_string(limit_kind value);
std::optional<execution_kind> execution_kind_from(std::string_view text);
std::optional<execution_status> execution_status_from(std::string_view text);
std::optional<caisson::verdict> verdict_from(std::string_view text);
std::optional<limit_kind> limit_kind_from(std::string_view text);

/// What a spec holds in memory, about: program, environment, files, input and stdin.
std::uint64_t content_bytes(const execution_spec& spec);

/// Contents of a spec that are kept beside its JSON, to be stored one after the other.
struct spec_body {
    std::vector<shared_bytes> parts;
    std::uint64_t bytes = 0;    // of all
};

/// A spec with less is stored as JSON, in one transaction with its record.
inline constexpr std::uint64_t small_spec_bytes = 256 << 10;

/// The contents that spec_to_json() puts beside the JSON. Copies a checkpoint's state, and no other.
spec_body body_of(const execution_spec& spec);

/// A spec as JSON and back, for the record of an execution that has not ended. With `beside`, files, stdin, input and state of a checkpoint
/// of more than 1 KiB go there. `beside` of the way back is all of its parts as one. Throws std::exception on foreign text.
std::string spec_to_json(const execution_spec& spec, spec_body* beside = nullptr);
execution_spec spec_from_json(std::string_view text, const shared_bytes& beside = {});

boost::json::object limits_to_json(const execution_limits& limits);
execution_limits limits_from_json(const boost::json::object& object);
boost::json::object usage_to_json(const execution_usage& usage);
execution_usage usage_from_json(const boost::json::object& object);
boost::json::object stages_to_json(const execution_stages& stages);
execution_stages stages_from_json(const boost::json::object& object);

}    // namespace caisson
