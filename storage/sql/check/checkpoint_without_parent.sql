SELECT 'checkpoint ' || c.id
FROM main.checkpoints AS c
LEFT JOIN main.checkpoints AS p ON p.thread_key = c.thread_key AND p.position = c.parent_position
JOIN main.threads AS t ON t.key = c.thread_key AND (t.name IS NOT NULL OR t.importing = 1)
WHERE c.parent_position IS NOT NULL AND (p.position IS NULL OR p.position >= c.position)
ORDER BY 1
