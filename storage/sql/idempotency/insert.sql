INSERT INTO idempotency_keys (tenant_id, route, key, fingerprint, execution_id, created_at_ms, expires_at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant_id, route, key) DO NOTHING
