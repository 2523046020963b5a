-- Pieces are numbered from 0 without a gap, all but the last are whole chunks, and together they are the content. What lies in a pack is one
-- piece, within it.
SELECT c.id
FROM ct.contents AS c
LEFT JOIN (
    SELECT p.content_id, count(*) AS pieces, max(p.number) AS last, sum(coalesce(p.size_bytes, k.size_bytes)) AS bytes,
        sum(p.first_byte IS NULL AND k.size_bytes = 262144) AS whole,
        sum(coalesce(p.first_byte < 0 OR p.first_byte + p.size_bytes > k.size_bytes, p.first_byte IS NOT NULL)) AS outside
    FROM ct.pieces AS p
    LEFT JOIN ct.chunks AS k ON k.key = p.chunk
    GROUP BY p.content_id) AS s ON s.content_id = c.id
WHERE c.state = 2 AND NOT (
    coalesce(s.bytes, 0) = c.size_bytes
    AND coalesce(s.pieces, 0) = coalesce(s.last + 1, 0)
    AND coalesce(s.pieces - s.whole, 0) = (c.size_bytes % 262144 > 0)
    AND coalesce(s.outside, 0) = 0)
ORDER BY c.id
