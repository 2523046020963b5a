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
    std::vector<std::string> args;         // behind the program's own
    std::set<std::string> given_limits;    // names of the limits that the request gives: the skill's own come before the others
    bool gives_retry = false;              // the request's policy, not the skill's
    bool gives_idempotent = false;
    bool gives_runtime = false;
};

}    // namespace caisson
