#pragma once

#include "core/async/notifier.hpp"
#include "core/base/shared_bytes.hpp"
#include "core/exec/types.hpp"
#include "storage/database.hpp"

#include <memory>
#include <utility>

namespace caisson {

namespace sqlite {

/// The body that a spec was stored with; empty if it has none.
shared_bytes find_spec_body(connection& db, const execution_id& id);
/// Makes the body that was written ahead its execution's, in the transaction that records it.
void adopt_spec_body(connection& db, const execution_id& id);
/// Bodies that nobody will adopt are erased later. After a start, before anything is written.
void abandon_unfinished_bodies(connection& db);
/// Removes some pieces of what was erased; true if there are more.
bool erase_some_pieces(connection& db);

}    // namespace sqlite

/// Writes the bodies of large specs ahead of their records, in pieces of 512 KiB. One piece at a time of all specs, so that what others
/// write waits for one at most. I/O thread.
class spec_body_writer {
public:
    /// `db`, records.db, outlives it and what it handed out.
    explicit spec_body_writer(sqlite::database& db) : db_(db) { }

    /// A body that is written and not adopted yet: erased when this dies before the record is there.
    class written {
    public:
        written() = default;
        written(sqlite::database& db, execution_id id) : db_(&db), id_(std::move(id)) { }
        written(written&& other) noexcept : db_(std::exchange(other.db_, nullptr)), id_(std::move(other.id_)) { }
        written& operator=(written&& other) noexcept
        {
            std::swap(db_, other.db_);
            std::swap(id_, other.id_);
            return *this;
        }
        ~written();
        /// The record is there.
        void keep() { db_ = nullptr; }
        bool is_there() const { return db_ != nullptr; }

    private:
        sqlite::database* db_ = nullptr;
        execution_id id_;
    };

    /// Whether a spec is to be written ahead.
    static bool is_large(const execution_spec& spec);
    /// Writes the contents that are to be beside a spec's JSON; they are durable on return. Nothing is there of a spec that has none.
    task<written> write_ahead(execution_id id, const execution_spec& spec);

private:
    class turn;
    task<written> write_parts(execution_id id, spec_body body);

    sqlite::database& db_;
    std::unique_ptr<notifier> free_;    // made with the first
    bool is_writing_ = false;
};

}    // namespace caisson
