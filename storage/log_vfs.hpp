#pragma once

namespace caisson::sqlite {

/// The name of the layer between SQLite and the default one below it (sqlite3_vfs) for connections that write: a transaction's frames,
/// which SQLite hands out as a header and a page each, go into a log (-wal) in one write. They are written at the latest with the frame
/// that commits, before SQLite makes them known to other connections, and before this connection reads, cuts or syncs. A write that fails
/// then is told by the call that had it made. Everything but logs is the layer's below.
const char* log_vfs();

}    // namespace caisson::sqlite
