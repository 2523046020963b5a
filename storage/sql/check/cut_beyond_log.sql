SELECT l.execution_id
FROM ev.cuts AS c
JOIN ev.logs AS l ON l.key = c.log
WHERE l.execution_id NOT LIKE 'erased:%'
    AND c.offset > coalesce((
        SELECT iif(c.stream = 1, x.stdout_end, x.stderr_end)
        FROM ev.events AS x
        WHERE x.log = c.log
        ORDER BY x.seq DESC
        LIMIT 1), 0)
ORDER BY l.execution_id
