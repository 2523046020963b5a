SELECT files, bytes
FROM artifact_totals
WHERE tenant_id = ?
