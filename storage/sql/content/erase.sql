DELETE FROM contents
WHERE id = ?
