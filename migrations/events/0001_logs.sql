-- One log an execution, under a short key: events name it in each row and in the index.
CREATE TABLE logs (
    key INTEGER NOT NULL PRIMARY KEY,
    execution_id TEXT NOT NULL UNIQUE
) STRICT;

-- Rows are added at the table's end, whatever the execution; `data` is last, so that what precedes it is read without it.
CREATE TABLE events (
    key INTEGER NOT NULL PRIMARY KEY,
    log INTEGER NOT NULL REFERENCES logs (key),
    seq INTEGER NOT NULL,               -- control_no + stdout_end + stderr_end
    control_no INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    stream INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,            -- output: bytes of data; truncated: bytes that are missing
    stdout_end INTEGER NOT NULL,
    stderr_end INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    body TEXT NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (log, seq)
) STRICT;

-- Where the kept head of a stream ended.
CREATE TABLE cuts (
    log INTEGER NOT NULL REFERENCES logs (key),
    stream INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    PRIMARY KEY (log, stream)
) STRICT, WITHOUT ROWID;
