SELECT path
FROM artifacts
WHERE execution_id = ?1 AND EXISTS (SELECT 1 FROM executions WHERE id = ?1 AND tenant_id = ?2)
ORDER BY path
LIMIT ?3
