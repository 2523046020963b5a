SELECT part, name, total, success, failed, timeout, cancelled, interrupted, duration_ms, kept_bytes
FROM execution_totals
WHERE tenant_id = ?
ORDER BY part, name
LIMIT 1000
