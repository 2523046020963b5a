SELECT tenant_id, kept_bytes
FROM execution_totals
WHERE tenant_id > '' AND part = '' AND kept_bytes <> 0
ORDER BY tenant_id
