INSERT INTO api_keys (id, tenant_id, hash, hint, scopes, created_at_ms, expires_at_ms, last_used_at_ms, revoked_at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING
