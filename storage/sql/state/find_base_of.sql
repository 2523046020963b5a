SELECT b.key, b.digest, b.stored_bytes
FROM states AS s
JOIN states AS b ON b.key = coalesce(s.base_key, s.key)
WHERE s.key = ?
