SELECT p.number, b.data
FROM pieces AS p
JOIN chunk_bytes AS b ON b.chunk = p.chunk
WHERE p.content_id = ? AND p.number >= ?
ORDER BY p.number
LIMIT ?
