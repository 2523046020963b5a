-- Saved states of agents. Positions within a thread are counted up and never used again; times within one never go back.

CREATE TABLE threads (
    key INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    tenant_id TEXT NOT NULL,
    name TEXT,                          -- NULL: it was removed, or is being imported
    importing INTEGER NOT NULL,
    max_checkpoints INTEGER NOT NULL,
    ttl_ms INTEGER,
    checkpoints INTEGER NOT NULL,       -- how many there are
    next_position INTEGER NOT NULL,
    source_key INTEGER,                 -- what it branched off; the names are those of then
    source_position INTEGER,
    source_thread TEXT NOT NULL,
    source_id TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,              -- when the oldest that may go is over
    UNIQUE (tenant_id, name)
) STRICT;

CREATE INDEX threads_by_expiry ON threads (expires_at_ms) WHERE expires_at_ms IS NOT NULL AND name IS NOT NULL;
CREATE INDEX threads_nameless ON threads (importing, key) WHERE name IS NULL;

CREATE TABLE checkpoints (
    thread_key INTEGER NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    parent_position INTEGER,
    gap INTEGER NOT NULL,               -- how many were dropped between it and its parent
    state_key INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    pinned INTEGER NOT NULL,
    branches INTEGER NOT NULL,          -- threads that were made of it and are still there
    step INTEGER,
    node_id TEXT NOT NULL,
    rollback_of TEXT,
    execution_id TEXT,
    snapshot TEXT NOT NULL,
    media_type TEXT NOT NULL,
    request BLOB NOT NULL,              -- SHA-256 of what the client gave
    tags TEXT NOT NULL,                 -- each behind a line feed, and one at the end
    artifacts TEXT NOT NULL,            -- JSON, or empty
    custom TEXT NOT NULL,               -- the same
    PRIMARY KEY (thread_key, position)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX checkpoints_by_id ON checkpoints (thread_key, id);
CREATE INDEX checkpoints_by_parent ON checkpoints (thread_key, parent_position) WHERE parent_position IS NOT NULL;

-- What checkpoints.artifacts holds: retention leaves these files alone.
CREATE TABLE checkpoint_artifacts (
    execution_id TEXT NOT NULL,
    path TEXT NOT NULL,
    thread_key INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (execution_id, path, thread_key, position)
) STRICT, WITHOUT ROWID;

-- Each text that a tenant saved, once.
CREATE TABLE states (
    key INTEGER NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    digest BLOB NOT NULL,               -- SHA-256 of the text
    size_bytes INTEGER NOT NULL,        -- of the text
    stored_bytes INTEGER NOT NULL,
    base_key INTEGER,                   -- what it was packed against, which has none itself
    uses INTEGER NOT NULL,              -- by checkpoints, and by those that were packed against it
    UNIQUE (tenant_id, digest)
) STRICT;

CREATE TABLE state_texts (
    state_key INTEGER NOT NULL PRIMARY KEY,
    packed BLOB NOT NULL                -- zstd
) STRICT;

-- What each tenant has. Kept by the triggers, so that a bound costs one look.
CREATE TABLE thread_totals (
    tenant_id TEXT NOT NULL PRIMARY KEY,
    threads INTEGER NOT NULL,
    checkpoints INTEGER NOT NULL,
    states INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER thread_added AFTER INSERT ON threads BEGIN
    INSERT INTO thread_totals (tenant_id, threads, checkpoints, states, bytes) VALUES (new.tenant_id, 1, 0, 0, 0)
    ON CONFLICT (tenant_id) DO UPDATE SET threads = threads + 1;
END;

CREATE TRIGGER thread_removed AFTER DELETE ON threads BEGIN
    UPDATE thread_totals SET threads = threads - 1 WHERE tenant_id = old.tenant_id;
END;

-- A row without its texts is taken for 200 bytes.
CREATE TRIGGER checkpoint_added AFTER INSERT ON checkpoints BEGIN
    UPDATE thread_totals
    SET checkpoints = checkpoints + 1, bytes = bytes + 200 + length(new.tags) + length(new.artifacts) + length(new.custom)
    WHERE tenant_id = (SELECT tenant_id FROM threads WHERE key = new.thread_key);
END;

CREATE TRIGGER checkpoint_removed AFTER DELETE ON checkpoints BEGIN
    UPDATE thread_totals
    SET checkpoints = checkpoints - 1, bytes = bytes - 200 - length(old.tags) - length(old.artifacts) - length(old.custom)
    WHERE tenant_id = (SELECT tenant_id FROM threads WHERE key = old.thread_key);
END;

CREATE TRIGGER state_added AFTER INSERT ON states BEGIN
    UPDATE thread_totals SET states = states + 1, bytes = bytes + new.stored_bytes WHERE tenant_id = new.tenant_id;
END;

CREATE TRIGGER state_removed AFTER DELETE ON states BEGIN
    UPDATE thread_totals SET states = states - 1, bytes = bytes - old.stored_bytes WHERE tenant_id = old.tenant_id;
END;
