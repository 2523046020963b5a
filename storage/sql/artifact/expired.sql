SELECT key, tenant_id, content_id
FROM artifacts
WHERE expires_at_ms <= ?
ORDER BY expires_at_ms, key
LIMIT ?
