SELECT tenant_id, bytes
FROM thread_totals
WHERE tenant_id > ''
ORDER BY tenant_id
