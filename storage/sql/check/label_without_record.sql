SELECT DISTINCT l.execution_id
FROM main.execution_labels AS l
WHERE NOT EXISTS (SELECT 1 FROM main.executions AS e WHERE e.id = l.execution_id)
ORDER BY l.execution_id
