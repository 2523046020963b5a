DELETE FROM artifacts
WHERE execution_id = ?
