SELECT tenant_id
FROM api_keys
WHERE tenant_id > ? AND revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?)
ORDER BY tenant_id
LIMIT 1
