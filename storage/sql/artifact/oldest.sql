SELECT key, content_id, size_bytes
FROM artifacts
WHERE tenant_id = ?
ORDER BY created_at_ms, key
LIMIT ?
