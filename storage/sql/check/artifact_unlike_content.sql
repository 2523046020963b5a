SELECT DISTINCT a.execution_id
FROM main.artifacts AS a
JOIN ct.contents AS c ON c.id = a.content_id
WHERE c.state = 2 AND (c.size_bytes <> a.size_bytes OR lower(hex(c.sha256)) <> a.sha256)
ORDER BY a.execution_id
