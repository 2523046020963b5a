-- Times are Unix milliseconds, UTC. Ids are time-ordered texts: their order is that of creation.

CREATE TABLE tenants (
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL REFERENCES tenants (id),
    hash TEXT NOT NULL UNIQUE,          -- SHA-256 of the key's text, lower-case hex
    hint TEXT NOT NULL,
    scopes TEXT NOT NULL,               -- names with commas between
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER,
    last_used_at_ms INTEGER,
    revoked_at_ms INTEGER
) STRICT;

CREATE INDEX api_keys_by_tenant ON api_keys (tenant_id, id);

CREATE TABLE sandboxes (
    id TEXT NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    runtime TEXT NOT NULL,
    state TEXT NOT NULL,
    runtime_state TEXT NOT NULL,        -- JSON that only the runtime reads
    cause TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    ended_at_ms INTEGER
) STRICT;

CREATE INDEX sandboxes_alive ON sandboxes (id) WHERE state IN ('creating', 'running', 'paused', 'stopped');

CREATE TABLE executions (
    id TEXT NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL,
    cancel_requested INTEGER NOT NULL,
    verdict TEXT,
    exit_code INTEGER,
    signal INTEGER,
    started_at_ms INTEGER,
    finished_at_ms INTEGER,
    duration_ms INTEGER,
    error TEXT NOT NULL,
    language TEXT NOT NULL,
    runtime TEXT NOT NULL,
    sandbox_id TEXT,
    pty INTEGER NOT NULL,
    stdout_truncated INTEGER NOT NULL,
    stderr_truncated INTEGER NOT NULL,
    limits_hit TEXT NOT NULL,           -- JSON from here on
    degraded TEXT NOT NULL,
    labels TEXT NOT NULL,
    limits TEXT NOT NULL,
    usage TEXT NOT NULL,
    stages TEXT NOT NULL
) STRICT;

CREATE INDEX executions_by_tenant ON executions (tenant_id, id);
CREATE INDEX executions_unfinished ON executions (id) WHERE status IN ('queued', 'running');

-- What executions.labels holds, to search by.
CREATE TABLE execution_labels (
    tenant_id TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, name, value, execution_id)
) STRICT, WITHOUT ROWID;

-- What to run; dropped when the execution has ended. Apart, so that lists do not step over it.
CREATE TABLE execution_specs (
    execution_id TEXT NOT NULL PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
    spec TEXT NOT NULL                  -- JSON
) STRICT;
