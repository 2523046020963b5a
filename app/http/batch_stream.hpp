#pragma once

#include "app/http/call.hpp"
#include "app/http/services.hpp"
#include "core/async/notifier.hpp"
#include "core/async/task_group.hpp"
#include "core/log/log_reader.hpp"

#include <memory>
#include <string>
#include <vector>

namespace caisson::http {

/// One log of a merged stream.
struct merged_log {
    execution_id id;
    std::string ref;    // what its frames are marked with
    bool pty = false;
    std::unique_ptr<log_reader> log;
};

/// Many logs in one answer, as server-sent events: each writes a batch when its turn comes, and turns are given in the order of asking,
/// so that one that prints much holds up nobody for longer than a batch. I/O thread only.
class batch_stream : public std::enable_shared_from_this<batch_stream> {
public:
    /// `use` outlives it. `frames` are sent first.
    batch_stream(const api_services& use, call_ptr one, std::vector<merged_log> logs, std::vector<std::string> frames);

    /// Until all logs are at their ends, or the client takes nothing more. Keep a pointer to it while it runs.
    task<> run();
    /// Afterwards, or when run() was cancelled: ends what it began.
    task<> stop();
    /// Ends the answer, properly if all was sent or the server is stopping; otherwise it is cut.
    task<> finish();
    /// By a client that is gone, or takes nothing.
    bool is_refused() const { return gone_; }

private:
    task<> pump(std::shared_ptr<merged_log> from);
    task<> beat();
    task<> write(std::string text);
    std::size_t batch_bytes() const;

    const api_services& use_;
    call_ptr one_;
    std::vector<std::shared_ptr<merged_log>> logs_;
    std::vector<std::string> frames_;
    std::unique_ptr<net::stream_writer> out_;
    notifier turn_;
    std::uint64_t next_ticket_ = 0;
    std::uint64_t serving_ = 0;
    bool gone_ = false;
    task_group pumps_;
    task_group heart_;
};

task<> run_batch_stream(std::shared_ptr<batch_stream> stream);

}    // namespace caisson::http
