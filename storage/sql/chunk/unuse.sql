UPDATE chunks
SET uses = uses - 1
WHERE key = ?
RETURNING uses
