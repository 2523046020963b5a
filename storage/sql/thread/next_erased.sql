SELECT key, tenant_id
FROM threads
WHERE name IS NULL AND importing = 0
ORDER BY key
LIMIT 1
