SELECT 'state ' || s.key
FROM main.states AS s
LEFT JOIN (SELECT u.key, sum(u.uses) AS uses
    FROM (SELECT state_key AS key, count(*) AS uses FROM main.checkpoints GROUP BY state_key
        UNION ALL
        SELECT base_key, count(*) FROM main.states WHERE base_key IS NOT NULL GROUP BY base_key) AS u
    GROUP BY u.key) AS used ON used.key = s.key
WHERE s.uses <> coalesce(used.uses, 0)
ORDER BY 1
