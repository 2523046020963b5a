UPDATE states
SET uses = uses - 1
WHERE key = ?
RETURNING uses, base_key
