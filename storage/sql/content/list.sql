SELECT tenant_id, id
FROM contents
WHERE id > ? AND state = 2 AND finished_at_ms < ?
ORDER BY id
