SELECT control_no, stdout_end, stderr_end
FROM events
WHERE log = ? AND seq = ?
