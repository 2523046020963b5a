SELECT coalesce(k.tenant_id, t.tenant_id)
FROM (SELECT tenant_id, sum(size_bytes) AS bytes FROM ct.chunks GROUP BY tenant_id) AS k
FULL JOIN ct.stored_totals AS t ON t.tenant_id = k.tenant_id
WHERE coalesce(t.bytes, 0) <> coalesce(k.bytes, 0)
ORDER BY 1
