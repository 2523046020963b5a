UPDATE executions
SET cancel_requested = 1
WHERE id = ? AND tenant_id = ? AND status IN ('queued', 'running')
