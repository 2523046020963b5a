#pragma once

#include "adapters/engine/json_lines.hpp"
#include "adapters/engine/pull_state.hpp"

#include <functional>

namespace caisson::docker {

/// Follows the answer to a pull to its end.
class pull_run {
public:
    struct options {
        std::string image;
        std::function<void(const pull_progress&)> progress;
        std::chrono::milliseconds stall{0};
        steady_time deadline;
    };

    /// `time` and `from` outlive it.
    pull_run(timers& time, net::body_reader& from, options how);

    /// Errors: as images::pull.
    task<result<void>> follow();

private:
    static constexpr std::chrono::milliseconds told_apart{100};

    /// When something is to be done if nothing comes.
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
