-- Logs that were stored with the ends of their executions, as in events.db: what is over soon and says little takes one write.
CREATE TABLE logs (
    key INTEGER NOT NULL PRIMARY KEY,
    execution_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE events (
    log INTEGER NOT NULL REFERENCES logs (key),
    seq INTEGER NOT NULL,
    control_no INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    stream INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    stdout_end INTEGER NOT NULL,
    stderr_end INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    body TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (log, seq)
) STRICT, WITHOUT ROWID;
