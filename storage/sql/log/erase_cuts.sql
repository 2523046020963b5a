DELETE FROM cuts
WHERE log = ?
