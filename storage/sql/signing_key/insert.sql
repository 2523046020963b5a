INSERT INTO signing_keys (secret, created_at_ms)
VALUES (?, ?)
