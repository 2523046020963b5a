DELETE FROM spec_pieces
WHERE key IN (
    SELECT key
    FROM spec_pieces
    WHERE body = ?
    ORDER BY number
    LIMIT ?
)
