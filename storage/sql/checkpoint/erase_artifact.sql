DELETE FROM checkpoint_artifacts
WHERE execution_id = ? AND path = ? AND thread_key = ? AND position = ?
