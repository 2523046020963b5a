SELECT sha256, size_bytes
FROM contents
WHERE id = ? AND tenant_id = ? AND state = 2
