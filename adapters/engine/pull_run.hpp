#pragma once

#include "adapters/engine/json_lines.hpp"
#include "adapters/engine/pull_state.hpp"

#include <functional>

namespace caisson::docker {

/// Follows the response to a pull until its end.
class pull_run {
public:
    struct options {
        std::string image;
        std::function<void(const pull_progress&)> progress;
        std::chrono::milliseconds stall{0};
        steady_time deadline;
    };

    /// `time` and `from` must outlive it.
    pull_run(timers& time, net::body_reader& from, options how);

    /// Errors: as images::pull.
    task<result<void>> follow();

private:
    static constexpr std::chrono::milliseconds told_apart{100};

    /// The next time to act without new data: the deadline, the stall timeout or due progress.
    steady_time next_look() const;
    result<void> look();
    result<void> take(std::string_view bytes);
    void tell_if_due();
    void tell();
    bool untold() const { return how_.progress && state_.progress() != told_; }

    timers& time_;
    net::body_reader& from_;
    options how_;
    pull_state state_;
    json_lines lines_;
    pull_progress told_;
    steady_time tell_at_;
    steady_time stalls_at_;
};

}    // namespace caisson::docker
