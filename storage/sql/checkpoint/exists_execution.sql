SELECT 1
FROM executions
WHERE id = ? AND tenant_id = ?
