SELECT k.id, k.tenant_id, t.name, k.hash, k.hint, k.scopes, k.created_at_ms, k.expires_at_ms, k.last_used_at_ms, k.revoked_at_ms
FROM tenants AS t
JOIN api_keys AS k ON k.tenant_id = t.id
WHERE t.name = ?
ORDER BY k.id
