SELECT position
FROM checkpoints
WHERE thread_key = ? AND parent_position = ?
