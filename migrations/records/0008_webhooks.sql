-- Whom to tell of the end of an execution, and how far that has come. Due from the end on.

CREATE TABLE webhooks (
    execution_id TEXT NOT NULL PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
    tenant_id TEXT NOT NULL,
    receiver TEXT NOT NULL,             -- host and port
    url TEXT NOT NULL,
    secret BLOB NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    last_status INTEGER,
    last_error TEXT NOT NULL,
    ended_at_ms INTEGER,                -- of the execution
    next_attempt_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX webhooks_due ON webhooks (tenant_id, receiver, next_attempt_at_ms) WHERE next_attempt_at_ms IS NOT NULL;
CREATE INDEX webhooks_by_time ON webhooks (next_attempt_at_ms) WHERE next_attempt_at_ms IS NOT NULL;
CREATE INDEX webhooks_ended ON webhooks (ended_at_ms) WHERE ended_at_ms IS NOT NULL;
