SELECT p.number, b.data, l.place, p.first_byte, p.size_bytes
FROM pieces AS p
LEFT JOIN chunk_bytes AS b ON b.chunk = p.chunk
LEFT JOIN chunk_places AS l ON l.chunk = p.chunk
WHERE p.content_id = ? AND p.number >= ?
ORDER BY p.number
LIMIT ?
