-- Who needs a sandbox, what its tenant asked for, and until when it has it. Sandboxes of earlier releases were made for executions.
ALTER TABLE sandboxes ADD COLUMN holder TEXT NOT NULL DEFAULT 'execution';
ALTER TABLE sandboxes ADD COLUMN holder_id TEXT NOT NULL DEFAULT '';
ALTER TABLE sandboxes ADD COLUMN spec TEXT NOT NULL DEFAULT '';        -- JSON; empty for an execution's
ALTER TABLE sandboxes ADD COLUMN labels TEXT NOT NULL DEFAULT '{}';    -- JSON object of strings
ALTER TABLE sandboxes ADD COLUMN expires_at_ms INTEGER;
