#include "storage/stores/execution_end.hpp"

#include "storage/stores/artifact_rows.hpp"
#include "storage/stores/execution_rows.hpp"
#include "storage/stores/thread_saving.hpp"

namespace caisson::sqlite {

namespace {

std::string why_not_saved(const result<saved_checkpoint>& saved)
{
    if (saved.has_error())
        return saved.error().detail;
    const bool is_there = saved->outcome == save_outcome::appended || saved->outcome == save_outcome::repeated;
    return is_there ? std::string() : std::string("it cannot be saved now");
}

/// All of it, or nothing.
checkpoint_note save_or_note(connection& db, const checkpoint_end& what)
{
    db.prepare("SAVEPOINT checkpoint").run();
    const auto saved = save_checkpoint(db, what.draft, what.defaults, what.bounds);
    checkpoint_note note{what.draft.row.thread, {}, why_not_saved(saved)};
    if (note.error.empty())
        note.id = saved->row.id;
    else
        db.prepare("ROLLBACK TO checkpoint").run();
    db.prepare("RELEASE checkpoint").run();
    return note;
}

}    // namespace

result<void> finish_with_checkpoint(connection& db, const execution_end& end)
{
    insert_artifacts(db, end.artifacts);    // which it may name
    auto row = end.row;
    row.checkpoint = save_or_note(db, *end.checkpoint);
    return update_execution(db, row, end.kept_bytes);
}

}    // namespace caisson::sqlite
