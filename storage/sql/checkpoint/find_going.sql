SELECT position, state_key, created_at_ms, pinned, branches, artifacts
FROM checkpoints
WHERE thread_key = ? AND id = ?
