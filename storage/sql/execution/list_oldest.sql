SELECT id, tenant_id, created_at_ms, finished_at_ms
FROM executions
WHERE id > :after
ORDER BY id
LIMIT :limit
