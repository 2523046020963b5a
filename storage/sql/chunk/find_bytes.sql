SELECT data
FROM chunk_bytes
WHERE chunk = ?
