UPDATE checkpoints
SET parent_position = ?, gap = gap + 1 + ?
WHERE thread_key = ? AND position = ?
