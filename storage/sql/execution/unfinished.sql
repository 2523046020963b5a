SELECT e.id, e.tenant_id, e.kind, e.created_at_ms, e.labels, e.status, e.verdict, e.exit_code, e.signal, e.started_at_ms,
    e.finished_at_ms, e.duration_ms, e.error, e.language, e.runtime, e.sandbox_id, e.pty, e.stdout_truncated,
    e.stderr_truncated, e.limits_hit, e.degraded, e.limits, e.usage, e.stages, e.cancel_requested,
    e.skill, e.details, s.spec, s.has_body
FROM executions AS e
JOIN execution_specs AS s ON s.execution_id = e.id
WHERE e.status IN ('queued', 'running') AND e.id > ?
ORDER BY e.id
LIMIT ?
