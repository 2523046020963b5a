SELECT parent_position, gap
FROM checkpoints
WHERE thread_key = ? AND position = ?
