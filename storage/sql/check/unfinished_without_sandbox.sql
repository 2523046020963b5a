SELECT e.id
FROM main.executions AS e
WHERE e.status IN ('queued', 'running') AND e.sandbox_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM main.sandboxes AS s WHERE s.id = e.sandbox_id)
ORDER BY e.id
