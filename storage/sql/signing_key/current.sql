SELECT id, secret, created_at_ms, retired_at_ms
FROM signing_keys
WHERE retired_at_ms IS NULL
ORDER BY id DESC
LIMIT 1
