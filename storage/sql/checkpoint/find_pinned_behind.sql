SELECT id
FROM checkpoints
WHERE thread_key = ? AND position > ? AND pinned = 1
ORDER BY position
LIMIT 1
