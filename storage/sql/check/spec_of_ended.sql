SELECT e.id
FROM main.execution_specs AS s
JOIN main.executions AS e ON e.id = s.execution_id
WHERE e.status NOT IN ('queued', 'running')
ORDER BY e.id
