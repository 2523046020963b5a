DELETE FROM artifacts
WHERE key = ?
