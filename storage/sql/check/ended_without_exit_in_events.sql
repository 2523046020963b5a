-- Of records from before logs lay with them: the exit event is the last of a log.
SELECT e.id
FROM main.executions AS e
WHERE e.status NOT IN ('queued', 'running')
    AND coalesce((
        SELECT x.kind
        FROM ev.logs AS l
        JOIN ev.events AS x ON x.log = l.key
        WHERE l.execution_id = e.id
        ORDER BY x.seq DESC
        LIMIT 1), 0) <> 5
ORDER BY e.id
