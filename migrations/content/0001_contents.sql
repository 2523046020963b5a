-- Bytes of artifacts and packages, in chunks of 256 KiB that the contents of one tenant share.

CREATE TABLE contents (
    id TEXT NOT NULL PRIMARY KEY,       -- time-ordered
    tenant_id TEXT NOT NULL,
    state INTEGER NOT NULL,             -- 1 being written, 2 finished, 3 erased: its pieces go in small steps
    sha256 BLOB,                        -- of all bytes; like the next two once it is finished
    size_bytes INTEGER,
    finished_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX contents_unfinished ON contents (id) WHERE state = 1;
CREATE INDEX contents_erased ON contents (id) WHERE state = 3;

CREATE TABLE chunks (
    key INTEGER NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    sha256 BLOB NOT NULL,
    size_bytes INTEGER NOT NULL,
    uses INTEGER NOT NULL,              -- pieces that are this chunk
    UNIQUE (tenant_id, sha256)
) STRICT;

-- Apart, so that counting uses does not write the bytes again.
CREATE TABLE chunk_bytes (
    chunk INTEGER NOT NULL PRIMARY KEY REFERENCES chunks (key),
    data BLOB NOT NULL
) STRICT;

-- All but the last of a content are whole chunks of 256 KiB. The chunk is not declared a reference: an index would be needed.
CREATE TABLE pieces (
    content_id TEXT NOT NULL REFERENCES contents (id),
    number INTEGER NOT NULL,            -- from 0
    chunk INTEGER NOT NULL,
    PRIMARY KEY (content_id, number)
) STRICT, WITHOUT ROWID;

-- What each tenant's chunks take. Kept by the triggers.
CREATE TABLE stored_totals (
    tenant_id TEXT NOT NULL PRIMARY KEY,
    bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER chunk_added AFTER INSERT ON chunks BEGIN
    INSERT INTO stored_totals (tenant_id, bytes)
    VALUES (new.tenant_id, new.size_bytes)
    ON CONFLICT (tenant_id) DO UPDATE SET bytes = bytes + new.size_bytes;
END;

CREATE TRIGGER chunk_removed AFTER DELETE ON chunks BEGIN
    UPDATE stored_totals
    SET bytes = bytes - old.size_bytes
    WHERE tenant_id = old.tenant_id;
END;
