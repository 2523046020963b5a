SELECT t.name
FROM main.threads AS t
WHERE t.name IS NOT NULL AND (t.checkpoints <> (SELECT count(*) FROM main.checkpoints AS c WHERE c.thread_key = t.key)
    OR t.next_position <= (SELECT coalesce(max(c.position), 0) FROM main.checkpoints AS c WHERE c.thread_key = t.key))
ORDER BY 1
