#include "storage/writer.hpp"

#include "storage/transaction.hpp"

#include <pthread.h>

namespace caisson::sqlite {

writer::writer(std::string name, std::unique_ptr<connection> db, writer_limits limits)
    : db_(std::move(db)), limits_(limits), thread_([this, thread_name = std::move(name)] {
        ::pthread_setname_np(::pthread_self(), thread_name.c_str());
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

void writer::work()
{
    jobs batch;
    while (wait_for_work()) {
        commit_batch(batch);
        for (auto& one : batch)
            one->finish();
        batch.clear();
    }
}

/// Returns with work in the queue; false when there is none and will be none.
bool writer::wait_for_work()
{
    std::unique_lock lock(mutex_);
    const auto has_work = [this] { return closing_ || !queue_.empty(); };
    changed_.wait(lock, [&] { return has_work() || !later_.empty(); });
    if (!has_work())
        changed_.wait_for(lock, limits_.later, has_work);
    std::move(later_.begin(), later_.end(), std::back_inserter(queue_));
    later_.clear();
    return !queue_.empty();
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
        do {
            run_isolated(*batch.back());
        } while (batch.size() < limits_.batch && std::chrono::steady_clock::now() < until && take_next(batch));
        all.commit();
        ++commits_;
    } catch (...) {
        for (auto& one : batch)
            if (!one->failure())
                one->fail(std::current_exception());
    }
    closures_ += batch.size();
}

void writer::run_isolated(job& one)
{
    db_->prepare("SAVEPOINT one").run();
    one.run(*db_);
    if (!db_->in_transaction())    // a full or failing disk: SQLite gave up the whole transaction
        std::rethrow_exception(
            one.failure() ? one.failure() : std::make_exception_ptr(storage_error(storage_fault::broken, "the transaction was lost")));
    if (!one.is_success())
        db_->prepare("ROLLBACK TO one").run();
    db_->prepare("RELEASE one").run();
}

}    // namespace caisson::sqlite
