DELETE FROM artifacts
WHERE execution_id = ? AND path = ? AND tenant_id = ?
RETURNING content_id
