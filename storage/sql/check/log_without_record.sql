SELECT l.execution_id
FROM (SELECT execution_id FROM ev.logs UNION ALL SELECT execution_id FROM main.logs) AS l
WHERE l.execution_id NOT LIKE 'erased:%' AND NOT EXISTS (SELECT 1 FROM main.executions AS e WHERE e.id = l.execution_id)
ORDER BY l.execution_id
