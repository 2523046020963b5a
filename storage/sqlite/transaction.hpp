#pragma once

#include "storage/sqlite/connection.hpp"

namespace caisson::sqlite {

enum class transaction_kind {
    read,     // all reads see one state
    write,    // takes the write lock at once; throws storage_fault::busy if another process keeps it
};

/// Rolls back in its destructor unless it was committed. A connection has one at a time.
class transaction {
public:
    transaction(connection& db, transaction_kind kind);
    ~transaction();
    transaction(const transaction&) = delete;
    transaction& operator=(const transaction&) = delete;

    /// When it throws nothing of the transaction is kept.
    void commit();
    /// Nothing of what was done so far is kept; what follows is in a new transaction of the same kind.
    void restart();

private:
    void begin();

    connection& db_;
    const transaction_kind kind_;
    bool open_ = true;
};

}    // namespace caisson::sqlite
