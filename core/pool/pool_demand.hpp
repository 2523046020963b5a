#pragma once

#include "core/base/clock.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace caisson {

/// How many sandboxes of a kind are worth being kept ready: as many as were asked for within one second lately, and none of what was
/// asked for once only.
class pool_demand {
public:
    static constexpr std::chrono::seconds memory{60};

    /// One was asked for, whether it was there or not.
    void note(steady_time now)
    {
        if (!last_ || now - *last_ >= memory)
            *this = {};
        if (!window_ || now - *window_ >= std::chrono::seconds(1)) {
            window_ = now;
            in_window_ = 0;
        }
        ++in_window_;
        if (in_window_ >= peak_ || now - peak_at_ >= memory) {
            peak_ = in_window_;
            peak_at_ = now;
        }
        ++uses_;
        last_ = now;
    }

    std::size_t worth(steady_time now) const { return uses_ < 2 || now - *last_ >= memory ? 0 : peak_; }
    /// When one was asked for last; nothing if never.
    std::optional<steady_time> last() const { return last_; }

private:
    std::optional<steady_time> window_;
    std::optional<steady_time> last_;
    steady_time peak_at_{};
    std::size_t in_window_ = 0;
    std::size_t peak_ = 0;
    std::size_t uses_ = 0;
};

}    // namespace caisson
