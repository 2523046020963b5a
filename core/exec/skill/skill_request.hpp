#pragma once

#include <set>
#include <string>
#include <vector>

namespace caisson {

/// What a request says of the skill that it wants run, checked as far as it can be without the skill. The rest of the request is
/// in the execution_spec beside it, its input too, which skill_runs::prepare() completes.
struct skill_request {
    std::string name;
    std::string version;                   // empty: the latest
    std::vector<std::string> program;      // that is run in its package instead of its own; empty: its own
    bool is_shell = false;                 // `program` is a shell with a line for it
    std::vector<std::string> args;         // behind the skill's own program
    std::set<std::string> given_limits;    // names of the limits that the request gives: the skill's own come before the others
    bool gives_retry = false;              // the request's policy, not the skill's
    bool gives_idempotent = false;
    bool gives_runtime = false;
    bool gives_cwd = false;

    bool runs_own_program() const { return program.empty(); }
};

}    // namespace caisson
