UPDATE states
SET uses = uses - 1
WHERE key = ?
