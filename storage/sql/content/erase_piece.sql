DELETE FROM pieces
WHERE content_id = ? AND number = ?
