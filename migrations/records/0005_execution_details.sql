-- What executions of skills and repeated ones add to a record.

ALTER TABLE executions ADD COLUMN skill TEXT;                           -- its name; NULL for the other kinds
ALTER TABLE executions ADD COLUMN details TEXT NOT NULL DEFAULT '{}';   -- JSON: versions, attempts, the next one's time, what was collected

CREATE INDEX executions_by_skill ON executions (tenant_id, skill, id, status, kind, created_at_ms) WHERE skill IS NOT NULL;

-- JSON texts that lists do not read.
CREATE TABLE execution_payloads (
    execution_id TEXT NOT NULL PRIMARY KEY REFERENCES executions (id) ON DELETE CASCADE,
    input BLOB NOT NULL,
    output BLOB NOT NULL
) STRICT;
