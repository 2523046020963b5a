INSERT INTO pieces (content_id, number, chunk)
VALUES (?, ?, ?)
