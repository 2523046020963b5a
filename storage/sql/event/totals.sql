-- Kind 2 is output, 3 truncated, 5 exit; stream 1 is stdout.
SELECT coalesce(sum(length) FILTER (WHERE kind = 2), 0), coalesce(max(kind = 5), 0),
    coalesce(max(kind = 3 AND stream = 1), 0), coalesce(max(kind = 3 AND stream = 2), 0),
    coalesce(sum(length(data) + length(body) + :overhead), 0)
FROM events
WHERE log = :log
