#pragma once

#include "core/async/notifier.hpp"
#include "core/exec/types.hpp"
#include "core/files/patterns.hpp"
#include "core/files/ports.hpp"
#include "core/protocol/agent_link.hpp"
#include "core/protocol/collect_stream.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace caisson {

/// What a run left, as it was kept: the contents are durable, the records are the caller's to store.
struct collected_files {
    std::vector<artifact_row> artifacts;
    /// `skipped` holds at most 100 files and 16 KiB of paths and reasons; a path that is longer than 512 bytes ends with "…" there.
    collect_summary summary;
    std::optional<std::string> output;    // the bytes of collect_spec::output; nothing: the run did not write it
    std::string output_problem;           // it is there and could not be read: why
    std::string cause;                    // more about summary.error, for the server's log only
    /// The janitor leaves the contents alone while this lives: it goes when the records are stored.
    std::unique_ptr<content_batch> held;
};

/// Hears the agent's collector and hands what it sends to the store. The stream is checked as if it were a stranger's: limits and
/// patterns hold whatever it says. I/O thread.
class collector final : public protocol::execution_sink {
public:
    struct job {
        tenant_id tenant;
        execution_id execution;
        collect_spec wanted;
        std::int64_t now_ms = 0;    // when artifacts count as made
        std::optional<std::int64_t> expires_at_ms;
        /// Of the disk that the store is on; empty: not looked at. What would leave it nearly full is not collected: everybody needs it.
        std::function<std::uint64_t()> free_bytes = {};
    };
    static constexpr std::uint64_t least_free_bytes = 64 << 20;
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
    using item = protocol::collect_decoder::item;

    task<result<void>> take_stream();
    task<> let_others();
    bool take_at_once(item what);
    task<result<void>> take_item(item what);
    task<result<void>> finish_file();
    task<result<void>> make_room();
    task<result<void>> commit();
    void take_small_data();
    void finish_small_file();
    bool has_new_name();
    bool wants_room() const;
    void keep(content_info made);
    void drop_file();
    task<> wait_for_more();
    void begin_file();
    void skip(std::string path, std::string reason);
    std::string why_not(const protocol::collected_file& file) const;
    bool has_room(std::uint64_t bytes);
    std::uint64_t room_bytes() const;
    std::string kept_name(const std::string& path) const;
    void check_end();
    void fail(std::string why);
    void fail_by(error what);
    void tell_progress(std::uint64_t at_least);

    content_store& contents_;
    job job_;
    path_patterns patterns_;
    acknowledge done_with_;
    notifier changed_;
    protocol::collect_decoder decoder_;
    std::uint64_t received_ = 0;
    std::uint64_t told_ = 0;
    bool eof_ = false;
    bool complete_ = false;    // DONE was heard
    std::optional<protocol::exit_report> exited_;
    std::string failure_;
    std::size_t steps_ = 0;    // in this turn of the I/O thread

    std::unique_ptr<content_batch> batch_;
    std::unique_ptr<content_writer> writer_;    // of a file that is not small
    shared_bytes small_;                        // what came of one that is: one piece,
    std::string small_pieces_;                  // or the bytes of several
    std::size_t small_files_ = 0;               // since the store was asked for room
    std::uint64_t uncommitted_bytes_ = 0;
    std::size_t committed_ = 0;    // of files_.artifacts
    std::int64_t bytes_ = 0;
    std::uint64_t room_bytes_ = 0;     // what the last look at the disk found, without the files since then
    std::size_t skipped_bytes_ = 0;    // of files_.summary.skipped
    std::set<std::string, std::less<>> names_;
    artifact_row current_;
    bool into_output_ = false;
    collected_files files_;
};

}    // namespace caisson
