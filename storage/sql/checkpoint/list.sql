SELECT c.position, c.id, c.gap, c.created_at_ms, c.pinned, c.step, c.node_id, c.rollback_of, c.execution_id, c.snapshot, c.media_type,
    c.state_key, s.digest, s.size_bytes,
    (SELECT p.id FROM checkpoints AS p WHERE p.thread_key = c.thread_key AND p.position = c.parent_position),
    c.tags, c.artifacts, c.custom, c.request
FROM checkpoints AS c
JOIN states AS s ON s.key = c.state_key
WHERE c.thread_key = :thread AND c.position BETWEEN :first AND :last
    AND (:step IS NULL OR c.step = :step)
    AND (:node_id IS NULL OR c.node_id = :node_id)
ORDER BY c.position
