SELECT control_no, stdout_end, stderr_end
FROM events
WHERE log = ?
ORDER BY seq DESC
LIMIT 1
