SELECT tenant_id, route, key
FROM idempotency_keys
WHERE expires_at_ms <= ?
ORDER BY expires_at_ms
LIMIT ?
