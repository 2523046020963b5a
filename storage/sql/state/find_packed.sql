SELECT s.size_bytes, t.packed, s.base_key, (SELECT b.digest FROM states AS b WHERE b.key = s.base_key)
FROM states AS s
JOIN state_texts AS t ON t.state_key = s.key
WHERE s.key = ?
