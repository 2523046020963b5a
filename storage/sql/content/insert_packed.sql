INSERT INTO pieces (content_id, number, chunk, first_byte, size_bytes)
VALUES (?, 0, ?, ?, ?)
