SELECT e.id
FROM main.executions AS e
JOIN ev.logs AS l ON l.execution_id = e.id
WHERE e.status NOT IN ('queued', 'running')
    AND json_extract(e.usage, '$.output_bytes') <> (
        SELECT x.stdout_end + x.stderr_end
        FROM ev.events AS x
        WHERE x.log = l.key
        ORDER BY x.seq DESC
        LIMIT 1)
ORDER BY e.id
