SELECT key, bytes
FROM spec_bodies
WHERE execution_id = ?
