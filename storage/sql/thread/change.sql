UPDATE threads
SET max_checkpoints = :max_checkpoints, ttl_ms = :ttl_ms, checkpoints = :checkpoints, next_position = :next_position,
    updated_at_ms = :updated_at_ms, expires_at_ms = :expires_at_ms
WHERE key = :key
