SELECT t.key, t.tenant_id, t.name, t.max_checkpoints, t.ttl_ms, t.checkpoints, t.next_position, t.source_thread, t.source_id,
    t.created_at_ms, t.updated_at_ms, t.expires_at_ms,
    (SELECT c.id FROM checkpoints AS c WHERE c.thread_key = t.key ORDER BY c.position DESC LIMIT 1)
FROM threads AS t
WHERE t.tenant_id = :tenant AND t.name = :name
