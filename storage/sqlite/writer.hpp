#pragma once

#include "storage/sqlite/fault_watch.hpp"
#include "storage/sqlite/log_keeper.hpp"
#include "storage/sqlite/work.hpp"
#include "storage/sqlite/writer_limits.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace caisson::sqlite {

class transaction;

/// One step of work that can wait, on the writer's connection and outside of a transaction; true if there is more of it.
using idle_step = std::function<bool(connection&)>;

/// One thread that alone writes to one database. It takes closures in the order of the calls and commits those that wait
/// together: one at once when it is idle, as many as came meanwhile under load. A closure that throws, or returns a result
/// with an error, leaves nothing behind and does not disturb the others: those that can be called as const are called again where it
/// took what they wrote along; one that cannot is called once. If the commit fails all of its closures get the exception.
class writer {
public:
    /// `db` keeps its log, and is used by the writer's thread only from now on. `name` is the thread's, at most 15 characters.
    /// `idle` is run step by step when nothing waits: from the start on, after each call of tidy() and what was queued before it, and now
    /// and then.
    /// Its failures are dropped until it is run again; on a full disk the log goes into the database first.
    writer(std::string name, std::unique_ptr<connection> db, writer_limits limits = {}, idle_step idle = {});
    /// Commits what is queued and joins.
    ~writer();
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;

    /// Runs `work(connection&)` on the thread and returns its value when that is durable. Not cancellable. A full queue is
    /// errc::queue_full for closures that return a result, else storage_fault::overloaded. I/O thread.
    template <class F>
    task<std::invoke_result_t<F&, connection&>> run(F work);

    /// As run(), but without a coroutine: `done` is called once, on the thread or at once. From any thread.
    template <class F>
    void start(F work, completion<std::invoke_result_t<F&, connection&>> done);

    /// Runs `work(connection&)` with a later transaction; failures are dropped. From any thread.
    template <class F>
    void run_later(F work);

    /// There is something for `idle` to do. From any thread.
    void tidy();

    /// From any thread.
    fault_watch::state faults() const { return faults_.now(); }
    std::uint64_t commits() const { return commits_; }
    std::uint64_t closures() const { return closures_; }

private:
    struct job {
        virtual ~job() = default;
        virtual void run(connection& db) noexcept = 0;
        virtual bool is_repeatable() const = 0;
        virtual bool is_success() const = 0;
        virtual std::exception_ptr failure() const = 0;
        virtual void fail(std::exception_ptr what) = 0;
        virtual void finish() = 0;
        virtual void refuse() = 0;
    };
    template <class F>
    struct job_of;
    using jobs = std::vector<std::unique_ptr<job>>;

    bool push(std::unique_ptr<job>& next);    // false, and `next` is kept, if it does not fit
    void push_later(std::unique_ptr<job> next);
    enum class turn { commit, tidy, move_log, extend_log, end };
    void work();
    turn wait_for_work();
    bool is_time_to_tidy(std::unique_lock<std::mutex>& lock);
    void do_idle_step();
    bool take_next(jobs& batch);
    void commit_batch(jobs& batch);
    void answer(jobs& batch);
    bool run_together(jobs& batch, transaction& all);
    void run_isolated(job& one);
    void run(job& one);

    std::unique_ptr<connection> db_;
    const writer_limits limits_;
    log_keeper log_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<job>> queue_;
    std::deque<std::unique_ptr<job>> later_;
    idle_step idle_;
    bool tidy_;
    bool closing_ = false;
    std::chrono::steady_clock::time_point last_commit_;       // the thread's own; so long ago at first that nothing waits for it
    std::chrono::steady_clock::time_point last_idle_step_;    // likewise
    fault_watch faults_;
    std::atomic<std::uint64_t> commits_ = 0;
    std::atomic<std::uint64_t> closures_ = 0;
    std::thread thread_;
};

template <class F>
struct writer::job_of : writer::job {
    using value_type = std::invoke_result_t<F&, connection&>;

    job_of(F the_work, completion<value_type> the_done) : work_(std::move(the_work)), done_(std::move(the_done)) { }
    void run(connection& db) noexcept override { outcome_.run(*work_, db); }
    bool is_repeatable() const override { return std::is_invocable_v<const F&, connection&>; }
    bool is_success() const override { return outcome_.is_success(); }
    std::exception_ptr failure() const override { return outcome_.failure; }
    void fail(std::exception_ptr what) override { outcome_.fail(std::move(what)); }
    void finish() override
    {
        work_.reset();    // here, where it was used, and before the caller goes on
        if (done_)
            done_(std::move(outcome_.failure), std::move(outcome_.value));
    }

    void refuse() override
    {
        outcome_ = outcome<value_type>::overloaded();
        finish();
    }

    std::optional<F> work_;
    completion<value_type> done_;
    outcome<value_type> outcome_;
};

template <class F>
task<std::invoke_result_t<F&, connection&>> writer::run(F work)
{
    using R = std::invoke_result_t<F&, connection&>;
    auto begin = [this, work = std::move(work)](completion<R> done) mutable { start(std::move(work), std::move(done)); };
    return suspend_until_complete<R>(std::move(begin));
}

template <class F>
void writer::start(F work, completion<std::invoke_result_t<F&, connection&>> done)
{
    std::unique_ptr<job> next = std::make_unique<job_of<F>>(std::move(work), std::move(done));
    if (!push(next))
        next->refuse();
}

template <class F>
void writer::run_later(F work)
{
    push_later(std::make_unique<job_of<F>>(std::move(work), nullptr));
}

}    // namespace caisson::sqlite
