SELECT execution_id, path, tenant_id, content_id, size_bytes, sha256, media_type, mode, partial, created_at_ms, expires_at_ms
FROM artifacts
WHERE execution_id = ? AND path > ? AND tenant_id = ?
ORDER BY path
LIMIT ?
