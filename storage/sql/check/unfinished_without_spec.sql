SELECT e.id
FROM main.executions AS e
WHERE e.status IN ('queued', 'running') AND NOT EXISTS (
    SELECT 1
    FROM main.execution_specs AS s
    WHERE s.execution_id = e.id AND (s.has_body = 0 OR EXISTS (
        SELECT 1
        FROM main.spec_bodies AS b
        WHERE b.execution_id = e.id AND b.bytes = (
            SELECT coalesce(sum(length(p.bytes)), 0)
            FROM main.spec_pieces AS p
            WHERE p.body = b.key))))
ORDER BY e.id
