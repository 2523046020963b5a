SELECT content_id
FROM pieces
WHERE chunk = ?
ORDER BY content_id
LIMIT 1
