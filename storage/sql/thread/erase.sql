DELETE FROM threads
WHERE key = ?
