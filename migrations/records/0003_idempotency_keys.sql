-- Which requests were made under an Idempotency-Key, so that a repeat gets the same execution.

CREATE TABLE idempotency_keys (
    tenant_id TEXT NOT NULL,
    route TEXT NOT NULL,                -- method and pattern
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,          -- SHA-256 of the body, lower-case hex
    execution_id TEXT NOT NULL,         -- may have been deleted since
    created_at_ms INTEGER NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, route, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at_ms);

-- How many each tenant has. Kept by the triggers, so that a bound costs one look.
CREATE TABLE idempotency_counts (
    tenant_id TEXT NOT NULL PRIMARY KEY,
    keys INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER idempotency_key_added AFTER INSERT ON idempotency_keys BEGIN
    INSERT INTO idempotency_counts (tenant_id, keys)
    VALUES (new.tenant_id, 1)
    ON CONFLICT (tenant_id) DO UPDATE SET keys = keys + 1;
END;

CREATE TRIGGER idempotency_key_removed AFTER DELETE ON idempotency_keys BEGIN
    UPDATE idempotency_counts
    SET keys = keys - 1
    WHERE tenant_id = old.tenant_id;
END;
