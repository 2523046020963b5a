UPDATE threads
SET name = NULL
WHERE tenant_id = :tenant AND name = :name
RETURNING source_key, source_position
