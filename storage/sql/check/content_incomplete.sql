-- Pieces are numbered from 0 without a gap, all but the last are whole chunks, and together they are the content.
SELECT c.id
FROM ct.contents AS c
LEFT JOIN (
    SELECT p.content_id, count(*) AS pieces, max(p.number) AS last, sum(k.size_bytes) AS bytes, sum(k.size_bytes = 262144) AS whole
    FROM ct.pieces AS p
    LEFT JOIN ct.chunks AS k ON k.key = p.chunk
    GROUP BY p.content_id) AS s ON s.content_id = c.id
WHERE c.state = 2 AND NOT (
    coalesce(s.bytes, 0) = c.size_bytes
    AND coalesce(s.pieces, 0) = coalesce(s.last + 1, 0)
    AND coalesce(s.pieces - s.whole, 0) = (c.size_bytes % 262144 > 0))
ORDER BY c.id
