#include "storage/sqlite/writer.hpp"

#include "storage/sqlite/transaction.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <span>

namespace caisson::sqlite {

namespace {

/// So many commits later there may be something to tidy up.
constexpr std::uint64_t tidy_every = 1'024;

/// Who wakes this thread goes on with what it was doing, if there is one processor for both (SCHED_BATCH, sched(7)). A kernel that refuses
/// it only loses that.
void give_way_when_woken()
{
    const sched_param no_priority{};
    static_cast<void>(::sched_setscheduler(0, SCHED_BATCH | SCHED_RESET_ON_FORK, &no_priority));
}

}    // namespace

writer::writer(std::string name, std::unique_ptr<connection> db, writer_limits limits, idle_step idle)
    : db_(std::move(db))
    , limits_(limits)
    , log_(*db_, limits_)
    , idle_(std::move(idle))
    , tidy_(static_cast<bool>(idle_))
    , last_commit_(std::chrono::steady_clock::now() - limits_.idle_after)
    , last_idle_step_(std::chrono::steady_clock::now() - limits_.idle_every)
    , thread_([this, thread_name = std::move(name)] {
        ::pthread_setname_np(::pthread_self(), thread_name.c_str());
        give_way_when_woken();
        work();
    })
{
}

writer::~writer()
{
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

bool writer::push(std::unique_ptr<job>& next)
{
    {
        const std::lock_guard lock(mutex_);
        if (closing_ || queue_.size() >= limits_.queued)
            return false;
        queue_.push_back(std::move(next));
    }
    changed_.notify_one();
    return true;
}

void writer::push_later(std::unique_ptr<job> next)
{
    {
        const std::lock_guard lock(mutex_);
        if (closing_ || later_.size() >= limits_.queued)
            return;
        later_.push_back(std::move(next));
    }
    changed_.notify_one();
}

void writer::tidy()
{
    {
        const std::lock_guard lock(mutex_);
        tidy_ = static_cast<bool>(idle_);
    }
    changed_.notify_one();
}

void writer::work()
{
    jobs batch;
    for (;;) {
        switch (wait_for_work()) {
        case turn::commit:
            commit_batch(batch);
            last_commit_ = std::chrono::steady_clock::now();
            answer(batch);
            log_.look();
            break;
        case turn::tidy:
            do_idle_step();
            log_.look();
            break;
        case turn::move_log: log_.move(); break;
        case turn::extend_log: log_.extend(); break;
        case turn::end: return;
        }
    }
}

/// turn::commit: there is work in the queue.
writer::turn writer::wait_for_work()
{
    std::unique_lock lock(mutex_);
    const auto has_work = [this] { return closing_ || tidy_ || !queue_.empty(); };
    if (log_.is_long() && !changed_.wait_for(lock, limits_.quiet, has_work))
        return turn::move_log;
    const auto has_any = [&] { return has_work() || !later_.empty(); };
    const auto extension = log_.next_extension(last_commit_);
    if (extension && !changed_.wait_until(lock, *extension, has_any))
        return turn::extend_log;
    changed_.wait(lock, has_any);
    if (!has_work())
        changed_.wait_for(lock, limits_.later, has_work);
    if (is_time_to_tidy(lock))
        return turn::tidy;
    std::move(later_.begin(), later_.end(), std::back_inserter(queue_));
    later_.clear();
    return queue_.empty() ? turn::end : turn::commit;
}

/// Waits for what may still come.
bool writer::is_time_to_tidy(std::unique_lock<std::mutex>& lock)
{
    if (!tidy_ || closing_)
        return false;
    if (!queue_.empty() && last_idle_step_ > last_commit_)    // however long steps take
        return false;
    const auto next = last_idle_step_ + limits_.idle_every;
    const auto is_needed = [this] { return closing_ || !queue_.empty(); };
    return std::chrono::steady_clock::now() >= next ||
           !changed_.wait_until(lock, std::min(last_commit_ + limits_.idle_after, next), is_needed);
}

void writer::do_idle_step()
{
    const auto begin = std::chrono::steady_clock::now();
    const bool is_overdue = begin >= last_idle_step_ + limits_.idle_every && begin < last_commit_ + limits_.idle_after;
    last_idle_step_ = begin;
    {
        const std::lock_guard lock(mutex_);
        tidy_ = !queue_.empty();    // what waits may leave something
    }
    try {
        bool is_more = idle_(*db_);
        while (is_more && is_overdue && std::chrono::steady_clock::now() < begin + limits_.idle_slice)
            is_more = idle_(*db_);
        if (is_more)
            tidy();
    } catch (const storage_error& failure) {
        faults_.closure_failed(std::current_exception());
        if (failure.fault() == storage_fault::disk_full)    // what makes room needs some too
            log_.move();
    } catch (const std::exception&) {
        faults_.closure_failed(std::current_exception());
    }
}

bool writer::take_next(jobs& batch)
{
    const std::lock_guard lock(mutex_);
    if (queue_.empty())
        return false;
    batch.push_back(std::move(queue_.front()));
    queue_.pop_front();
    return true;
}

void writer::commit_batch(jobs& batch)
{
    const auto until = std::chrono::steady_clock::now() + limits_.batch_time;
    take_next(batch);
    try {
        transaction all(*db_, transaction_kind::write);
        bool together = true;
        do {
            if (together)
                together = run_together(batch, all);
            else
                run_isolated(*batch.back());
        } while (batch.size() < limits_.batch && std::chrono::steady_clock::now() < until && take_next(batch));
        all.commit();
        faults_.committed();
        if (++commits_ % tidy_every == 0)
            tidy();
    } catch (...) {
        for (auto& one : batch)
            if (!one->failure())
                one->fail(copy_of(std::current_exception()));    // callers are on several threads
        faults_.commit_failed(std::current_exception());
        log_.move();    // so that the log's space can be used again
    }
    closures_ += batch.size();
}

void writer::answer(jobs& batch)
{
    for (auto& one : batch)
        one->finish();
    batch.clear();
}

/// Runs the last one beside those before it: within a savepoint SQLite copies each page before its first change. Where it fails after it
/// wrote, the whole transaction goes, and what succeeded in it is done again. False if that is not to be done another time.
bool writer::run_together(jobs& batch, transaction& all)
{
    auto& last = *batch.back();
    const auto succeeded = [](const std::unique_ptr<job>& one) { return one->is_success(); };
    const auto others = std::span(batch).first(batch.size() - 1);
    const bool is_first = std::none_of(others.begin(), others.end(), succeeded);
    if (!is_first && !last.is_repeatable()) {
        run_isolated(last);
        return false;
    }
    const auto before = db_->total_changes();
    run(last);
    if (last.is_success())
        return last.is_repeatable();
    if (db_->total_changes() == before)    // most that fail only looked
        return true;
    all.restart();
    for (auto& one : others)
        if (one->is_success())
            run_isolated(*one);
    return is_first;
}

void writer::run_isolated(job& one)
{
    db_->prepare("SAVEPOINT one").run();
    run(one);
    if (!one.is_success())
        db_->prepare("ROLLBACK TO one").run();
    db_->prepare("RELEASE one").run();
}

void writer::run(job& one)
{
    one.run(*db_);
    if (one.failure())
        faults_.closure_failed(one.failure());
    if (!db_->in_transaction())    // a full or failing disk: SQLite gave up the whole transaction
        std::rethrow_exception(
            one.failure() ? one.failure() : std::make_exception_ptr(storage_error(storage_fault::broken, "the transaction was lost")));
}

}    // namespace caisson::sqlite
