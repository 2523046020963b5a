#pragma once

#include <optional>
#include <string>

#include <sys/types.h>

namespace caisson::testing {

/// A Docker Engine of a test's own, that may be killed. While it lives, tests use it instead of that of the environment.
class own_engine {
public:
    /// Throws std::runtime_error, with the end of its log, if it does not start.
    own_engine();
    /// Ends it with all that it has.
    ~own_engine();
    own_engine(const own_engine&) = delete;
    own_engine& operator=(const own_engine&) = delete;

    /// Its first end is like a crash: its containers run on, until the next one ends them.
    void kill();
    void start();

private:
    bool answers() const;
    std::string log_end() const;

    std::string directory_;
    std::optional<std::string> outer_address_;
    pid_t pid_ = -1;
};

}    // namespace caisson::testing
