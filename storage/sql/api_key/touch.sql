UPDATE api_keys
SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), ?)
WHERE id = ?
