SELECT tenant_id, route, key, fingerprint, execution_id, created_at_ms, expires_at_ms
FROM idempotency_keys
WHERE tenant_id = ? AND route = ? AND key = ?
