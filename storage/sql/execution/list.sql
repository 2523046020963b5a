SELECT e.id, e.tenant_id, e.kind, e.created_at_ms, e.labels, e.status, e.verdict, e.exit_code, e.signal, e.started_at_ms,
    e.finished_at_ms, e.duration_ms, e.error, e.language, e.runtime, e.sandbox_id, e.pty, e.stdout_truncated,
    e.stderr_truncated, e.limits_hit, e.degraded, e.limits, e.usage, e.stages, e.cancel_requested,
    e.skill, e.details
FROM executions AS e INDEXED BY executions_by_tenant
WHERE e.tenant_id = :tenant AND e.id < :before
    AND (:status IS NULL OR e.status = :status)
    AND (:kind IS NULL OR e.kind = :kind)
    AND (:created_from IS NULL OR e.created_at_ms >= :created_from)
    AND (:created_before IS NULL OR e.created_at_ms < :created_before)
ORDER BY e.id DESC
LIMIT :limit
