#pragma once

#include "core/async/notifier.hpp"
#include "core/base/shared_bytes.hpp"
#include "core/exec/types.hpp"
#include "storage/sqlite/database.hpp"

#include <list>
#include <memory>

namespace caisson {

namespace sqlite {

/// The body that a spec was stored with; empty if it has none.
shared_bytes find_spec_body(connection& db, const execution_id& id);
/// Makes the body that was written ahead its execution's, in the transaction that records it. Throws std::logic_error if there is none.
void adopt_spec_body(connection& db, const execution_id& id);
/// Has the body of an execution that has ended erased later.
void abandon_spec_body(connection& db, const execution_id& id);
/// Bodies that nobody will adopt are erased later. After a start, before anything is written.
void abandon_unfinished_bodies(connection& db);
/// Removes some pieces of what was erased, in a transaction; true if there are more.
bool erase_some_pieces(connection& db);

}    // namespace sqlite

/// Writes the bodies of large specs ahead of their records, in pieces of 512 KiB: one piece at a time of all specs, in turns, so that what
/// others write waits for one piece. I/O thread.
class spec_body_writer {
    struct state;

public:
    /// `db`, records.db, outlives it.
    explicit spec_body_writer(sqlite::database& db);
    ~spec_body_writer();
    spec_body_writer(const spec_body_writer&) = delete;
    spec_body_writer& operator=(const spec_body_writer&) = delete;

    /// A body that is written and not adopted yet. Its destructor has it erased, unless keep() was called or the writer is gone: then the
    /// next start does that.
    class written {
    public:
        written() = default;
        written(std::shared_ptr<state> of, execution_id id) : of_(std::move(of)), id_(std::move(id)) { }
        written(written&&) = default;
        written& operator=(written&& other) noexcept
        {
            std::swap(of_, other.of_);
            std::swap(id_, other.id_);
            return *this;
        }
        ~written();
        /// The record is there.
        void keep() { of_.reset(); }
        bool is_there() const { return of_ != nullptr; }

    private:
        std::shared_ptr<state> of_;
        execution_id id_;
    };

    /// Whether a spec is to be written ahead.
    static bool is_large(const execution_spec& spec) { return content_bytes(spec) > small_spec_bytes; }
    /// Writes the contents that are to be beside a spec's JSON; they are durable on return. Nothing is there of a spec that has none.
    task<written> write_ahead(execution_id id, const execution_spec& spec);

private:
    class turn;
    static task<written> write_parts(std::shared_ptr<state> of, execution_id id, spec_body body);

    std::shared_ptr<state> state_;
};

}    // namespace caisson
