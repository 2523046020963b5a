#pragma once

#include "core/async/notifier.hpp"
#include "core/exec/collect/artifact_batch.hpp"
#include "core/exec/collect/collect_bounds.hpp"
#include "core/exec/collect/collect_input.hpp"
#include "core/exec/collect/collect_room.hpp"
#include "core/exec/collect/left_out_files.hpp"
#include "core/exec/types.hpp"
#include "core/files/ports.hpp"
#include "core/protocol/agent_link.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace caisson {

/// What a run left, as it was kept: the contents are durable, the records are the caller's to store.
struct collected_files {
    std::vector<artifact_row> artifacts;
    collect_summary summary;              // `skipped` is bounded: see left_out_files
    std::optional<std::string> output;    // the bytes of collect_spec::output; nothing: the run did not write it
    std::string output_problem;           // it is there and could not be read: why
    std::string cause;                    // more about summary.error, for the server's log only
    /// The janitor leaves the contents alone while this lives: it goes when the records are stored.
    std::unique_ptr<content_batch> held;
};

/// Hears the agent's collector and hands what it sends to the store. The stream is checked as if it were a stranger's: see
/// collect_bounds. Knows nothing of the number under which the agent collects: many may work in one sandbox. I/O thread.
class collector final : public protocol::execution_sink {
public:
    struct job {
        tenant_id tenant;
        execution_id execution;
        collect_spec wanted;
        std::int64_t now_ms = 0;    // when artifacts count as made
        std::optional<std::int64_t> expires_at_ms;
        std::function<std::uint64_t()> free_bytes = {};    // of the disk that the store is on: see collect_room
    };
    /// Which bytes of a stream are done with and may be acknowledged.
    using acknowledge = std::function<void(protocol::stream_number stream, std::uint64_t end)>;

    /// `contents` outlives it.
    collector(io_executor executor, content_store& contents, job what, acknowledge done_with);

    /// Takes the stream until its end, or until it or the store fails. What was whole then is kept.
    task<> run();
    /// Nothing more will come, and why: the first reason counts. run() ends. Of no effect once all has come.
    void abandon(std::string why);
    /// Keeps what was whole when run() was cancelled. After a run() that came to its end it does nothing.
    task<> settle();
    /// What was kept, after run() or settle().
    collected_files take();

    void on_started(std::int32_t, std::uint64_t) override { }
    void on_output(protocol::stream_number stream, std::uint64_t offset, shared_bytes bytes) override;
    void on_gap(protocol::stream_number stream, std::uint64_t offset, std::uint64_t missing) override;
    void on_eof(protocol::stream_number stream, std::uint64_t end) override;
    void on_stdin_taken(std::uint64_t) override { }
    void on_exited(protocol::exit_report report) override;
    void on_start_failed(int code, std::string step) override;
    void on_unknown() override;

private:
    using item = collect_input::item;

    task<result<void>> take_stream();
    task<> let_others();
    task<> wait_for_more();
    void end_stream();
    bool take_at_once(item what);
    task<result<void>> take_item(item what);
    void begin_file();
    artifact_row row_of(const protocol::collected_file& file) const;
    void take_small_data();
    bool finish_at_once();
    bool has_new_name();
    void drop_file();
    void skip(std::string path, std::string reason);
    void fail(std::string why);
    void fail_by(error what);
    void tell_progress(std::uint64_t at_least);

    content_store& contents_;
    job job_;
    acknowledge done_with_;
    notifier changed_;
    collect_input input_;
    collect_bounds bounds_;
    collect_room room_;
    artifact_batch artifacts_;
    left_out_files left_out_;
    std::string failure_;
    std::size_t steps_ = 0;       // in this turn of the I/O thread
    bool into_output_ = false;    // the last file became the execution's output
    collected_files files_;
};

}    // namespace caisson
