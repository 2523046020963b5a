UPDATE threads
SET importing = 0
WHERE key = :key AND tenant_id = :tenant AND name IS NULL
