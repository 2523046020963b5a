SELECT position, created_at_ms
FROM checkpoints
WHERE thread_key = ? AND position >= ?
ORDER BY position
LIMIT 1
