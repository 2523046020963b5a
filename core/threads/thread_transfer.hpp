#pragma once

#include "core/threads/thread_file.hpp"
#include "core/threads/thread_service.hpp"

#include <memory>
#include <optional>

namespace caisson {

/// A thread on its way out, as it was when this began: what came since is left out, what went since too.
class thread_exporter {
public:
    /// `use` outlives it; `of` is a thread of `tenant`'s.
    thread_exporter(const thread_services& use, thread_row of);

    /// The next lines; empty: that was all. One call at a time. Errors: errc::not_found if the thread was removed.
    task<result<shared_bytes>> next();

private:
    const thread_services& use_;
    thread_row thread_;
    std::shared_ptr<thread_file_writer> writer_;
    checkpoint_filter filter_;
    std::int64_t last_ = 0;    // position
    bool ended_ = false;
};

/// A thread on its way in: it is there when finish() returned. Calls one after the other; where one fails, or nothing more comes, drop().
class thread_importer {
public:
    /// `threads` outlives it.
    thread_importer(thread_service& threads, tenant_id tenant);

    /// Errors: errc::conflict if there is a thread of this name; errc::quota_exceeded.
    task<result<void>> begin(thread_name name);
    /// Errors: those of thread_file_reader; errc::quota_exceeded.
    task<result<void>> write(shared_bytes bytes);
    task<result<thread_row>> finish();
    /// What was written goes.
    task<> drop();

private:
    task<result<void>> read(std::string bytes, bool is_last);
    task<result<void>> store(bool all);

    thread_service& threads_;
    const thread_services& use_;
    std::shared_ptr<thread_file_reader> reader_;
    thread_name name_;
    std::optional<thread_import> import_;
    std::string waiting_;    // bytes that were not read yet
    std::vector<checkpoint_draft> drafts_;
    std::size_t draft_bytes_ = 0;
    std::shared_ptr<const packing_base> base_;
};

}    // namespace caisson
