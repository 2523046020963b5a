SELECT e.id, e.tenant_id, e.created_at_ms, e.finished_at_ms,
    EXISTS (SELECT 1 FROM checkpoint_artifacts AS c WHERE c.execution_id = e.id)
        OR EXISTS (SELECT 1 FROM webhooks AS w WHERE w.execution_id = e.id AND w.next_attempt_at_ms IS NOT NULL)
FROM executions AS e INDEXED BY executions_by_tenant
WHERE e.tenant_id = :tenant AND e.id > :after
ORDER BY e.id
LIMIT :limit
