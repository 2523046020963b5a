DELETE FROM signing_keys
WHERE retired_at_ms < ?
