#pragma once

#include "app/doors/http/call.hpp"
#include "app/doors/http/services.hpp"
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
    std::string ref;    // marks its frames
    bool pty = false;
    std::unique_ptr<log_reader> log;
};

/// Merges many logs into one answer of server-sent events. Each log writes one batch in its turn; turns are first come, first served, so a
/// log with much output delays others by one batch at most. I/O thread only.
class batch_stream : public std::enable_shared_from_this<batch_stream> {
public:
    /// `use` outlives the stream. `frames` are sent first.
    batch_stream(const api_services& use, call_ptr call, std::vector<merged_log> logs, std::vector<std::string> frames);

    /// Runs until all logs have ended or the client is gone. Hold a shared_ptr to the stream meanwhile.
    task<> run();
    /// Stops the pumps and the heartbeat. Call after run(), also if it was cancelled.
    task<> stop();
    /// Completes the answer if all was sent or the server is stopping; otherwise the answer is cut.
    task<> finish();
    /// True if the client is gone or stopped reading.
    bool is_refused() const { return gone_; }

private:
    task<> pump(std::shared_ptr<merged_log> from);
    task<> beat();
    task<> write(std::string text);
    std::size_t batch_bytes() const;

    const api_services& use_;
    call_ptr call_;
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
