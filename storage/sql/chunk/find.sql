SELECT key
FROM chunks
WHERE tenant_id = ? AND tag = ?
