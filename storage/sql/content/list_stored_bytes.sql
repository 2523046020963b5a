SELECT tenant_id, bytes
FROM stored_totals
WHERE tenant_id > ''
ORDER BY tenant_id
