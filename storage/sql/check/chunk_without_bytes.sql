SELECT 'chunk ' || k.key
FROM ct.chunks AS k
LEFT JOIN ct.chunk_bytes AS b ON b.chunk = k.key
LEFT JOIN ct.chunk_places AS l ON l.chunk = k.key
WHERE coalesce(length(b.data), iif(l.place > 0, 262144, -1)) <> k.size_bytes OR (b.chunk IS NOT NULL AND l.place IS NOT NULL)
ORDER BY k.key
