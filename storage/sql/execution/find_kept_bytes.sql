SELECT kept_bytes
FROM executions
WHERE id = ?
