INSERT INTO sandboxes (id, tenant_id, holder, holder_id, runtime, state, runtime_state, spec, labels, cause, created_at_ms, expires_at_ms, ended_at_ms)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING
