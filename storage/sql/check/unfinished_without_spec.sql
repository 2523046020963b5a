SELECT e.id
FROM main.executions AS e
WHERE e.status IN ('queued', 'running') AND NOT EXISTS (SELECT 1 FROM main.execution_specs AS s WHERE s.execution_id = e.id)
ORDER BY e.id
