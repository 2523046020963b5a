INSERT INTO cuts (log, stream, offset)
VALUES (?, ?, ?)
ON CONFLICT (log, stream) DO NOTHING
