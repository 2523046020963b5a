SELECT tenant_id
FROM artifact_totals
WHERE files > 0
ORDER BY tenant_id
