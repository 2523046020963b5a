SELECT k.tenant_id
FROM (SELECT tenant_id, count(*) AS keys FROM main.idempotency_keys GROUP BY tenant_id) AS k
LEFT JOIN main.idempotency_counts AS c ON c.tenant_id = k.tenant_id
WHERE coalesce(c.keys, 0) <> k.keys
ORDER BY k.tenant_id
