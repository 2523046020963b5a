SELECT e.id
FROM main.executions AS e
LEFT JOIN ev.logs AS far ON far.execution_id = e.id
LEFT JOIN main.logs AS near ON near.execution_id = e.id
WHERE e.status NOT IN ('queued', 'running')
    AND json_extract(e.usage, '$.output_bytes') <> coalesce((
        SELECT x.stdout_end + x.stderr_end
        FROM ev.events AS x
        WHERE x.log = far.key
        ORDER BY x.seq DESC
        LIMIT 1), (
        SELECT x.stdout_end + x.stderr_end
        FROM main.events AS x
        WHERE x.log = near.key
        ORDER BY x.seq DESC
        LIMIT 1))
ORDER BY e.id
