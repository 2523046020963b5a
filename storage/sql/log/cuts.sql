SELECT stream, offset
FROM cuts
WHERE log = ?
ORDER BY stream
