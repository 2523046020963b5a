-- Each event begins where the one before it ended: kind 2 is output, 3 a gap, the others count themselves only.
WITH named AS (
    SELECT l.execution_id, x.seq, x.kind, x.stream, x.offset, x.length, x.control_no, x.stdout_end, x.stderr_end, length(x.data) AS bytes
    FROM ev.events AS x
    JOIN ev.logs AS l ON l.key = x.log
    WHERE l.execution_id NOT LIKE 'erased:%'
    UNION ALL
    SELECT l.execution_id, x.seq, x.kind, x.stream, x.offset, x.length, x.control_no, x.stdout_end, x.stderr_end, length(x.data) AS bytes
    FROM main.events AS x
    JOIN main.logs AS l ON l.key = x.log
), steps AS (
    SELECT execution_id, seq, kind, stream, offset, length, control_no, stdout_end, stderr_end, bytes,
        lag(control_no, 1, 0) OVER along AS control_before,
        lag(stdout_end, 1, 0) OVER along AS stdout_before,
        lag(stderr_end, 1, 0) OVER along AS stderr_before
    FROM named
    WINDOW along AS (PARTITION BY execution_id ORDER BY seq)
)
SELECT s.execution_id
FROM steps AS s
WHERE NOT (
    s.seq = s.control_no + s.stdout_end + s.stderr_end
    AND s.control_no - s.control_before = (s.kind <> 2)
    AND s.stdout_end - s.stdout_before = iif(s.kind IN (2, 3) AND s.stream = 1, s.length, 0)
    AND s.stderr_end - s.stderr_before = iif(s.kind IN (2, 3) AND s.stream = 2, s.length, 0)
    AND (s.kind NOT IN (2, 3) OR s.offset = iif(s.stream = 1, s.stdout_before, s.stderr_before))
    AND (s.kind <> 2 OR s.bytes = s.length))
GROUP BY s.execution_id
ORDER BY s.execution_id
