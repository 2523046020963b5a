SELECT key
FROM tag_keys
LIMIT 1
