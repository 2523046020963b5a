SELECT uses, base_key, stored_bytes
FROM states
WHERE key = ?
