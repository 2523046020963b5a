UPDATE sandboxes
SET state = ?, runtime_state = ?, cause = ?, ended_at_ms = ?
WHERE id = ?
