INSERT INTO threads (tenant_id, name, importing, max_checkpoints, ttl_ms, checkpoints, next_position, source_key, source_position, source_thread,
    source_id, created_at_ms, updated_at_ms, expires_at_ms)
VALUES (:tenant, :name, :importing, :max_checkpoints, :ttl_ms, 0, 1, :source_key, :source_position, :source_thread, :source_id, :now, :now, NULL)
