SELECT s.id
FROM main.sandboxes AS s
WHERE s.holder = 'execution' AND s.state IN ('creating', 'running', 'paused', 'stopped')
    AND NOT EXISTS (SELECT 1 FROM main.executions AS e WHERE e.status IN ('queued', 'running') AND e.sandbox_id = s.id)
ORDER BY s.id
