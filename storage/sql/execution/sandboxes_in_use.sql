SELECT e.sandbox_id
FROM executions AS e
WHERE e.status IN ('queued', 'running') AND e.sandbox_id IS NOT NULL
ORDER BY e.id
