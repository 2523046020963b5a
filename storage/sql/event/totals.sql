-- Kind 2 is output, 5 exit.
SELECT coalesce(sum(length) FILTER (WHERE kind = 2), 0), coalesce(max(kind = 5), 0)
FROM events
WHERE log = ?
