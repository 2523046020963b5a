SELECT position, request
FROM checkpoints
WHERE thread_key = ? AND id = ?
