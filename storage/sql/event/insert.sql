INSERT INTO events (log, seq, control_no, kind, stream, offset, length, stdout_end, stderr_end, at_ms, body, data)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (log, seq) DO NOTHING
