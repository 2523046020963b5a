SELECT 1
FROM executions
WHERE id = ?
