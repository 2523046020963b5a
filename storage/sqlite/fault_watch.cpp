#include "storage/sqlite/fault_watch.hpp"

namespace caisson::sqlite {

namespace {

/// Calls `take` with the failure if it is the storage's own.
template <class F>
void with_storage_error(const std::exception_ptr& failure, F take)
{
    try {
        std::rethrow_exception(failure);
    } catch (const storage_error& e) {
        take(e);
    } catch (...) {    // the closure's own
    }
}

}    // namespace

void fault_watch::committed()
{
    const std::lock_guard lock(mutex_);
    state_.write_failure.clear();
}

void fault_watch::commit_failed(const std::exception_ptr& failure)
{
    closure_failed(failure);
    with_storage_error(failure, [this](const storage_error& e) {
        const std::lock_guard lock(mutex_);
        state_.write_failure = e.what();
    });
}

void fault_watch::closure_failed(const std::exception_ptr& failure)
{
    with_storage_error(failure, [this](const storage_error& e) {
        if (e.fault() != storage_fault::corrupt)
            return;
        const std::lock_guard lock(mutex_);
        if (state_.damage.empty())
            state_.damage = e.what();
    });
}

fault_watch::state fault_watch::now() const
{
    const std::lock_guard lock(mutex_);
    return state_;
}

}    // namespace caisson::sqlite
