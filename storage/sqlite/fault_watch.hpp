#pragma once

#include "storage/sqlite/errors.hpp"

#include <exception>
#include <mutex>
#include <string>

namespace caisson::sqlite {

/// What a database's threads last met: kept for those who ask how it is. From any thread.
class fault_watch {
public:
    struct state {
        std::string write_failure;    // of the newest commit; empty if it worked
        std::string damage;           // what was found damaged since the start; empty if nothing was
    };

    void committed();
    void commit_failed(const std::exception_ptr& failure);
    /// Looks for damage in a closure's failure; others are the caller's.
    void closure_failed(const std::exception_ptr& failure);
    state now() const;

private:
    mutable std::mutex mutex_;
    state state_;
};

}    // namespace caisson::sqlite
