#pragma once

#include "app/cli/client_session.hpp"
#include "app/cli/follower.hpp"
#include "app/cli/progress_line.hpp"
#include "app/cli/run_phase.hpp"

#include <memory>
#include <string>

namespace caisson::cli {

/// Wraps another sink. On a terminal it shows a status line while the run prints nothing: the place in the queue, or for how long it runs.
/// I/O thread only.
class watched_sink : public output_sink {
public:
    struct manner {
        bool line = true;      // show the status line
        bool prints = true;    // `inner` prints what it is given
        bool quiet = false;    // report no attempts either
    };
    /// `session` must outlive it.
    watched_sink(client_session& session, std::string execution_id, std::unique_ptr<output_sink> inner, manner how);

    task<bool> write(frame_effects effects) override;

    /// Updates the line until cancelled.
    task<> watch();
    /// Call when the run was asked to end.
    void is_cancelled() { phase_.is_cancelled(session_.time().steady_now()); }
    /// Removes the line, before other output.
    void clear() { line_.clear(); }

private:
    void note_state(const frame_effects& effects);
    task<> ask_place();

    client_session& session_;
    std::string id_;
    std::unique_ptr<output_sink> inner_;
    manner how_;
    run_phase phase_;
    progress_line line_;
    bool writing_ = false;
};

}    // namespace caisson::cli
