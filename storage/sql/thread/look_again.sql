UPDATE threads
SET expires_at_ms = 0
WHERE key = ?
