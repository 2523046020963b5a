SELECT DISTINCT a.execution_id
FROM main.artifacts AS a
WHERE NOT EXISTS (SELECT 1 FROM main.executions AS e WHERE e.id = a.execution_id)
ORDER BY a.execution_id
