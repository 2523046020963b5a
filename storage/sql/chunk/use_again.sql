UPDATE chunks
SET uses = uses + ?
WHERE tenant_id = ? AND tag = ?
