SELECT 1
FROM states
WHERE key = ? AND tenant_id = ? AND digest = ? AND base_key IS NULL
