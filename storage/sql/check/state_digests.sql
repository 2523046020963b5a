SELECT key, tenant_id, digest
FROM states
WHERE key > ?
ORDER BY key
LIMIT ?
