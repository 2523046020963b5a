SELECT DISTINCT a.execution_id
FROM main.artifacts AS a
WHERE NOT EXISTS (SELECT 1 FROM ct.contents AS c WHERE c.id = a.content_id AND c.tenant_id = a.tenant_id AND c.state = 2)
ORDER BY a.execution_id
