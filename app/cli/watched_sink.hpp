#pragma once

#include "app/cli/client_session.hpp"
#include "app/cli/follower.hpp"
#include "app/cli/progress_line.hpp"
#include "app/cli/run_phase.hpp"

#include <memory>
#include <string>

namespace caisson::cli {

/// A sink around another that, on a terminal, says what the run does while it prints nothing: its place in the queue, or how long it
/// runs. I/O thread only.
class watched_sink : public output_sink {
public:
    struct manner {
        bool line = true;      // say what the run does
        bool prints = true;    // `inner` shows what it is given
        bool quiet = false;    // say nothing of attempts either
    };
    /// `session` must outlive it.
    watched_sink(client_session& session, std::string execution_id, std::unique_ptr<output_sink> inner, manner how);

    task<bool> write(frame_effects effects) override;

    /// Keeps the line up to date until it is cancelled.
    task<> watch();
    /// The run was asked to end.
    void is_cancelled() { phase_.is_cancelled(session_.time().steady_now()); }
    /// Takes the line away, for what is printed beside it.
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
