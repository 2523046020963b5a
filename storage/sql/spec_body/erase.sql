DELETE FROM spec_bodies
WHERE key = ?
