UPDATE contents
SET state = 3
WHERE id = ? AND tenant_id = ?
