SELECT coalesce(a.tenant_id, t.tenant_id)
FROM (SELECT tenant_id, count(*) AS files, sum(size_bytes) AS bytes FROM main.artifacts GROUP BY tenant_id) AS a
FULL JOIN main.artifact_totals AS t ON t.tenant_id = a.tenant_id
WHERE coalesce(t.files, 0) <> coalesce(a.files, 0) OR coalesce(t.bytes, 0) <> coalesce(a.bytes, 0)
ORDER BY 1
