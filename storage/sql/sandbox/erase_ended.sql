DELETE FROM sandboxes
WHERE id IN (SELECT id FROM sandboxes WHERE ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?)
