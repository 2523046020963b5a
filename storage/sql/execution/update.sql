UPDATE executions
SET status = ?, verdict = ?, exit_code = ?, signal = ?, started_at_ms = ?, finished_at_ms = ?, duration_ms = ?, error = ?,
    language = ?, runtime = ?, sandbox_id = ?, pty = ?, stdout_truncated = ?, stderr_truncated = ?, limits_hit = ?,
    degraded = ?, limits = ?, usage = ?, stages = ?, details = ?, kept_bytes = ?,
    cancel_requested = max(cancel_requested, ?)
WHERE id = ? AND tenant_id = ? AND status IN ('queued', 'running')
