DELETE FROM chunks
WHERE key = ?
