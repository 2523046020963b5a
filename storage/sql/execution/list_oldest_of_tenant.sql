SELECT e.id, e.tenant_id, e.created_at_ms, e.finished_at_ms
FROM executions AS e INDEXED BY executions_by_tenant
WHERE e.tenant_id = :tenant AND e.id > :after
ORDER BY e.id
LIMIT :limit
