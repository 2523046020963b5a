SELECT number, chunk
FROM pieces
WHERE content_id = ?
ORDER BY number
LIMIT ?
