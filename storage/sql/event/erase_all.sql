DELETE FROM events
WHERE log = ?
