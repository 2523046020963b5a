DELETE FROM states
WHERE key = ?
