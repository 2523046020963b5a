UPDATE signing_keys
SET retired_at_ms = ?
WHERE retired_at_ms IS NULL
