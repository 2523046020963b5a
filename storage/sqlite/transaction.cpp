#include "storage/sqlite/transaction.hpp"

#include "storage/sqlite/errors.hpp"

namespace caisson::sqlite {

transaction::transaction(connection& db, transaction_kind kind) : db_(db), kind_(kind) { begin(); }

transaction::~transaction()
{
    if (!open_ || !db_.in_transaction())
        return;
    try {
        db_.prepare("ROLLBACK").run();
    } catch (const storage_error&) {    // rolled back when the connection is closed at the latest
    }
}

void transaction::commit()
{
    db_.prepare("COMMIT").run();
    open_ = false;
}

void transaction::restart()
{
    db_.prepare("ROLLBACK").run();
    begin();
}

void transaction::begin() { db_.prepare(kind_ == transaction_kind::read ? "BEGIN" : "BEGIN IMMEDIATE").run(); }

}    // namespace caisson::sqlite
