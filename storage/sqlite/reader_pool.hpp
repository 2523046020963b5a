#pragma once

#include "storage/sqlite/fault_watch.hpp"
#include "storage/sqlite/transaction.hpp"
#include "storage/sqlite/work.hpp"

#include <boost/asio/post.hpp>

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace caisson::sqlite {

/// Threads with read-only connections to one database. Each closure sees one committed state, which is let go of when the
/// closure returns.
class reader_pool {
public:
    /// The database must exist. `name` is the threads', at most 15 characters.
    reader_pool(std::string name, const std::filesystem::path& file, std::size_t readers);
    /// Finishes what is queued and joins.
    ~reader_pool() { threads_.join(); }

    /// Runs `work(connection&)` on one of the threads and returns its value. Not cancellable. Too much queued work is
    /// errc::queue_full for closures that return a result, else storage_fault::overloaded. I/O thread.
    template <class F>
    task<std::invoke_result_t<F&, connection&>> run(F work);

    /// What readers found damaged. From any thread.
    fault_watch::state faults() const { return faults_.now(); }

private:
    static constexpr std::size_t most_queued = 16'384;

    std::unique_ptr<connection> take();
    void put_back(std::unique_ptr<connection> idle);
    template <class R, class F>
    outcome<R> run_now(F work);

    std::mutex mutex_;
    std::vector<std::unique_ptr<connection>> idle_;    // as many as threads: a running closure always finds one
    std::atomic<std::size_t> queued_ = 0;
    fault_watch faults_;
    worker_pool threads_;
};

template <class R, class F>
outcome<R> reader_pool::run_now(F work)
{
    outcome<R> got;
    auto db = take();
    auto snapshot = [&work](connection& reader) -> R {
        const transaction one_state(reader, transaction_kind::read);
        return work(reader);
    };
    got.run(snapshot, *db);
    if (got.failure)
        faults_.closure_failed(got.failure);
    put_back(std::move(db));
    return got;
}

template <class F>
task<std::invoke_result_t<F&, connection&>> reader_pool::run(F work)
{
    using R = std::invoke_result_t<F&, connection&>;
    auto start = [this, work = std::move(work)](completion<R> done) mutable {
        if (queued_.fetch_add(1) >= most_queued) {
            --queued_;
            auto refused = outcome<R>::overloaded();
            return done(std::move(refused.failure), std::move(refused.value));
        }
        asio::post(threads_.pool(), [this, work = std::move(work), done = std::move(done)]() mutable {
            auto got = run_now<R>(std::move(work));
            --queued_;
            done(std::move(got.failure), std::move(got.value));
        });
    };
    return suspend_until_complete<R>(std::move(start));
}

}    // namespace caisson::sqlite
