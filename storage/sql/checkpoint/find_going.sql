SELECT position, state_key, created_at_ms, pinned, branches, artifacts, length(tags) + length(artifacts) + length(custom)
FROM checkpoints
WHERE thread_key = ? AND id = ?
