SELECT o.tenant_id
FROM main.thread_totals AS o
WHERE o.threads <> (SELECT count(*) FROM main.threads AS t WHERE t.tenant_id = o.tenant_id)
    OR o.checkpoints <> (SELECT count(*) FROM main.checkpoints AS c JOIN main.threads AS t ON t.key = c.thread_key
        WHERE t.tenant_id = o.tenant_id)
    OR o.states <> (SELECT count(*) FROM main.states AS s WHERE s.tenant_id = o.tenant_id)
    OR o.bytes <> (SELECT coalesce(sum(s.stored_bytes), 0) FROM main.states AS s WHERE s.tenant_id = o.tenant_id)
        + (SELECT coalesce(sum(200 + length(c.tags) + length(c.artifacts) + length(c.custom)), 0)
            FROM main.checkpoints AS c JOIN main.threads AS t ON t.key = c.thread_key WHERE t.tenant_id = o.tenant_id)
ORDER BY 1
