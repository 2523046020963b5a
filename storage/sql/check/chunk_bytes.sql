SELECT k.key, k.sha256, b.data
FROM chunks AS k
JOIN chunk_bytes AS b ON b.chunk = k.key
ORDER BY k.key
