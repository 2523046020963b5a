SELECT bytes
FROM stored_totals
WHERE tenant_id = ?
