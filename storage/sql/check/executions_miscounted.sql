SELECT coalesce(e.tenant_id, t.tenant_id)
FROM (SELECT tenant_id, sum(kept_bytes) AS bytes FROM main.executions GROUP BY tenant_id) AS e
FULL JOIN (SELECT tenant_id, kept_bytes AS bytes FROM main.execution_totals WHERE part = '') AS t ON t.tenant_id = e.tenant_id
WHERE coalesce(t.bytes, 0) <> coalesce(e.bytes, 0)
ORDER BY 1
