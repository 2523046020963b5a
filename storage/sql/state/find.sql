SELECT key
FROM states
WHERE tenant_id = ? AND digest = ?
