INSERT INTO executions (id, tenant_id, kind, created_at_ms, labels, skill,
    status, verdict, exit_code, signal, started_at_ms, finished_at_ms, duration_ms, error, language, runtime, sandbox_id,
    pty, stdout_truncated, stderr_truncated, limits_hit, degraded, limits, usage, stages, details, kept_bytes, cancel_requested)
VALUES (?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
    ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING
