INSERT INTO chunk_bytes (chunk, data)
VALUES (?, ?)
ON CONFLICT (chunk) DO UPDATE SET data = excluded.data
