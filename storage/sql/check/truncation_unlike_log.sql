SELECT e.id
FROM main.executions AS e
JOIN ev.logs AS l ON l.execution_id = e.id
WHERE e.status NOT IN ('queued', 'running')
    AND (e.stdout_truncated <> EXISTS (SELECT 1 FROM ev.events AS x WHERE x.log = l.key AND x.kind = 3 AND x.stream = 1)
        OR e.stderr_truncated <> EXISTS (SELECT 1 FROM ev.events AS x WHERE x.log = l.key AND x.kind = 3 AND x.stream = 2))
UNION ALL
SELECT e.id
FROM main.executions AS e
JOIN main.logs AS l ON l.execution_id = e.id
WHERE e.status NOT IN ('queued', 'running')
    AND (e.stdout_truncated <> EXISTS (SELECT 1 FROM main.events AS x WHERE x.log = l.key AND x.kind = 3 AND x.stream = 1)
        OR e.stderr_truncated <> EXISTS (SELECT 1 FROM main.events AS x WHERE x.log = l.key AND x.kind = 3 AND x.stream = 2))
ORDER BY e.id
