-- Each event begins where the one before it ended: kind 2 is output, 3 a gap, the others count themselves only.
WITH steps AS (
    SELECT log, seq, kind, stream, offset, length, control_no, stdout_end, stderr_end, length(data) AS bytes,
        lag(control_no, 1, 0) OVER along AS control_before,
        lag(stdout_end, 1, 0) OVER along AS stdout_before,
        lag(stderr_end, 1, 0) OVER along AS stderr_before
    FROM ev.events
    WINDOW along AS (PARTITION BY log ORDER BY seq)
)
SELECT l.execution_id
FROM steps AS s
JOIN ev.logs AS l ON l.key = s.log
WHERE l.execution_id NOT LIKE 'erased:%' AND NOT (
    s.seq = s.control_no + s.stdout_end + s.stderr_end
    AND s.control_no - s.control_before = (s.kind <> 2)
    AND s.stdout_end - s.stdout_before = iif(s.kind IN (2, 3) AND s.stream = 1, s.length, 0)
    AND s.stderr_end - s.stderr_before = iif(s.kind IN (2, 3) AND s.stream = 2, s.length, 0)
    AND (s.kind NOT IN (2, 3) OR s.offset = iif(s.stream = 1, s.stdout_before, s.stderr_before))
    AND (s.kind <> 2 OR s.bytes = s.length))
GROUP BY l.execution_id
ORDER BY l.execution_id
