SELECT 'chunk ' || k.key
FROM ct.chunks AS k
LEFT JOIN ct.chunk_bytes AS b ON b.chunk = k.key
WHERE coalesce(length(b.data), -1) <> k.size_bytes
ORDER BY k.key
