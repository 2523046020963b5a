SELECT key
FROM logs
WHERE execution_id = ?
