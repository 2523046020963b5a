SELECT bytes
FROM spec_pieces
WHERE body = ?
ORDER BY number
