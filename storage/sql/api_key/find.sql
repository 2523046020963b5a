SELECT k.id, k.tenant_id, t.name, k.hash, k.hint, k.scopes, k.created_at_ms, k.expires_at_ms, k.last_used_at_ms, k.revoked_at_ms
FROM api_keys AS k
JOIN tenants AS t ON t.id = k.tenant_id
WHERE k.id = ?
