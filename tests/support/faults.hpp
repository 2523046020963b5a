#pragma once

#include "core/base/error.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace caisson::testing {

/// The knobs that all fake stores have. Each planned failure meets one later call, in the order of planning; that call
/// changes nothing.
class faults {
public:
    /// A coming call returns `what`.
    void fail_next(error what) { planned_.push_back({std::move(what), false, false}); }
    /// So many coming calls do what they are asked for; what is planned afterwards meets the ones behind them.
    void let_pass(std::size_t calls) { planned_.insert(planned_.end(), calls, {{}, false, true}); }
    /// Forgets what is planned.
    void heal() { planned_.clear(); }
    /// A coming call throws std::runtime_error, as the real stores do when the disk is broken.
    void throw_next(std::string what) { planned_.push_back({{errc::internal, std::move(what)}, true, false}); }
    /// Calls so far, failed ones too.
    std::size_t calls() const { return calls_; }

protected:
    ~faults() = default;
    /// To be called first by each operation: counts it, throws, or names the error to return.
    std::optional<error> enter();

private:
    struct plan {
        error what;
        bool throws;
        bool passes;
    };
    std::deque<plan> planned_;
    std::size_t calls_ = 0;
};

}    // namespace caisson::testing
