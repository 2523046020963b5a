-- Files that executions left. Their contents are in content.db, one for each.

CREATE TABLE artifacts (
    key INTEGER NOT NULL PRIMARY KEY,
    execution_id TEXT NOT NULL,
    path TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    content_id TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL,               -- lower-case hex
    media_type TEXT NOT NULL,
    mode INTEGER NOT NULL,
    partial INTEGER NOT NULL,
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    UNIQUE (execution_id, path)
) STRICT;

CREATE INDEX artifacts_by_content ON artifacts (content_id);
CREATE INDEX artifacts_by_expiry ON artifacts (expires_at_ms) WHERE expires_at_ms IS NOT NULL;
CREATE INDEX artifacts_by_age ON artifacts (tenant_id, created_at_ms);

-- What each tenant has. Kept by the triggers, so that a bound costs one look.
CREATE TABLE artifact_totals (
    tenant_id TEXT NOT NULL PRIMARY KEY,
    files INTEGER NOT NULL,
    bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER artifact_added AFTER INSERT ON artifacts BEGIN
    INSERT INTO artifact_totals (tenant_id, files, bytes)
    VALUES (new.tenant_id, 1, new.size_bytes)
    ON CONFLICT (tenant_id) DO UPDATE SET files = files + 1, bytes = bytes + new.size_bytes;
END;

CREATE TRIGGER artifact_removed AFTER DELETE ON artifacts BEGIN
    UPDATE artifact_totals
    SET files = files - 1, bytes = bytes - old.size_bytes
    WHERE tenant_id = old.tenant_id;
END;

-- What addresses of artifacts are signed with. Numbers are never given twice: an address names its key by it.
CREATE TABLE signing_keys (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    secret BLOB NOT NULL,
    created_at_ms INTEGER NOT NULL,
    retired_at_ms INTEGER
) STRICT;
