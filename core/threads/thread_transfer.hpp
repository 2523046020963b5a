#pragma once

#include "core/threads/thread_file.hpp"
#include "core/threads/thread_service.hpp"

#include <memory>
#include <optional>

namespace caisson {

/// Exports a thread. Omits checkpoints that are added, or dropped before they are read, after construction.
class thread_exporter {
public:
    /// `use` must outlive the exporter.
    thread_exporter(const thread_services& use, thread_row of);

    /// The next lines; empty after the last. One call at a time. Errors: errc::not_found if the thread was removed.
    task<result<shared_bytes>> next();

private:
    const thread_services& use_;
    thread_row thread_;
    std::shared_ptr<thread_file_writer> writer_;
    checkpoint_filter filter_;
    std::int64_t last_ = 0;    // last position to export
    bool ended_ = false;
};

/// Imports a thread. The thread exists once finish() succeeds. One call at a time. Call drop() if a call fails or the input stops.
class thread_importer {
public:
    /// `threads` must outlive the importer.
    thread_importer(thread_service& threads, tenant_id tenant);

    /// Errors: errc::conflict if the thread exists; errc::quota_exceeded.
    task<result<void>> begin(thread_name name);
    /// Errors: those of thread_file_reader; errc::quota_exceeded.
    task<result<void>> write(shared_bytes bytes);
    task<result<thread_row>> finish();
    /// Discards the import.
    task<> drop();

private:
    task<result<void>> read(std::string bytes, bool is_last);
    task<result<void>> store(bool all);

    thread_service& threads_;
    const thread_services& use_;
    std::shared_ptr<thread_file_reader> reader_;
    thread_name name_;
    std::optional<thread_import> import_;
    std::string waiting_;    // bytes not passed to reader_ yet
    std::vector<checkpoint_draft> drafts_;
    std::size_t draft_bytes_ = 0;
    std::shared_ptr<const packing_base> base_;
};

}    // namespace caisson
