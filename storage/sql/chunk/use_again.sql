UPDATE chunks
SET uses = uses + 1
WHERE tenant_id = ? AND tag = ?
