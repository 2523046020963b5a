SELECT 1
FROM artifacts
WHERE execution_id = ? AND path = ? AND tenant_id = ?
