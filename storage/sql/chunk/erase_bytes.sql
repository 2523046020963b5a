DELETE FROM chunk_bytes
WHERE chunk = ?
