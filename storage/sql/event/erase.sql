DELETE FROM events
WHERE key IN (SELECT key FROM events WHERE log = ? ORDER BY seq LIMIT ?)
