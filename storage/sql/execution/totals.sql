SELECT part, name, total, success, failed, timeout, cancelled, interrupted, duration_ms
FROM execution_totals
WHERE tenant_id = ?
ORDER BY part, name
LIMIT 1000
