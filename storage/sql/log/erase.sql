DELETE FROM logs
WHERE key = ?
