DELETE FROM checkpoints
WHERE thread_key = ? AND position = ?
