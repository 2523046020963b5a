SELECT id, secret, created_at_ms, retired_at_ms
FROM signing_keys
ORDER BY id DESC
