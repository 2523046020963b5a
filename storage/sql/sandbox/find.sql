SELECT id, tenant_id, runtime, state, runtime_state, cause, created_at_ms, ended_at_ms
FROM sandboxes
WHERE id = ?
