SELECT position, id, created_at_ms
FROM checkpoints
WHERE thread_key = ?
ORDER BY position DESC
LIMIT 1
