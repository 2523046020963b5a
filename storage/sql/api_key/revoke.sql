UPDATE api_keys
SET revoked_at_ms = coalesce(revoked_at_ms, ?)
WHERE id = ?
