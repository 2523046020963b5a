SELECT b.data, l.place
FROM chunks AS k
LEFT JOIN chunk_bytes AS b ON b.chunk = k.key
LEFT JOIN chunk_places AS l ON l.chunk = k.key
WHERE k.key = ?
