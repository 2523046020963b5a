INSERT INTO chunk_bytes (chunk, data)
VALUES (?, ?)
