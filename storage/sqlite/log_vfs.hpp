#pragma once

struct sqlite3_file;

namespace caisson::sqlite {

/// The name of the layer between SQLite and the default one below it (sqlite3_vfs) for connections that write. All that it does differently
/// it does for logs (-wal) of which hold_frames() was called.
const char* log_vfs();

/// From now on the frames of a transaction, which SQLite hands out as a header and a page each, go into this log, opened by that layer, in
/// one write: with the page of the frame that commits, before SQLite makes it known to other connections, and before any other use of the
/// file. A write that fails then is told by the call that had it made. For connections with synchronous=FULL and cache_spill=OFF: frames of
/// a transaction that does not come to its commit would be written when another process may have written there.
/// Throws storage_error if it is no such log, or not open.
void hold_frames(sqlite3_file* log);

}    // namespace caisson::sqlite
