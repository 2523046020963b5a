SELECT 'chunk ' || k.key
FROM ct.chunks AS k
LEFT JOIN (SELECT chunk, count(*) AS uses FROM ct.pieces GROUP BY chunk) AS p ON p.chunk = k.key
WHERE coalesce(p.uses, 0) <> k.uses
ORDER BY k.key
