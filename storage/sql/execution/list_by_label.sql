SELECT e.id, e.tenant_id, e.kind, e.created_at_ms, e.labels, e.status, e.verdict, e.exit_code, e.signal, e.started_at_ms,
    e.finished_at_ms, e.duration_ms, e.error, e.language, e.runtime, e.sandbox_id, e.pty, e.stdout_truncated,
    e.stderr_truncated, e.limits_hit, e.degraded, e.limits, e.usage, e.stages, e.cancel_requested,
    e.skill, e.details
FROM execution_labels AS l
CROSS JOIN executions AS e ON e.id = l.execution_id
WHERE l.tenant_id = :tenant AND l.name = :label_name AND l.value = :label_value AND l.execution_id < :before
    AND (:status IS NULL OR e.status = :status)
    AND (:skill IS NULL OR e.skill = :skill)
    AND (:kind IS NULL OR e.kind = :kind)
    AND (:created_from IS NULL OR e.created_at_ms >= :created_from)
    AND (:created_before IS NULL OR e.created_at_ms < :created_before)
ORDER BY l.execution_id DESC
LIMIT :limit
