DELETE FROM executions
WHERE id = ?
