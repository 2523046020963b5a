INSERT INTO checkpoints (thread_key, position, id, parent_position, gap, state_key, created_at_ms, pinned, branches, step, node_id, rollback_of,
    execution_id, snapshot, media_type, request, tags, artifacts, custom)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
