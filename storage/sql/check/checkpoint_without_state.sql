SELECT coalesce(t.name, 'a removed thread') || ' ' || c.id
FROM main.checkpoints AS c
LEFT JOIN main.threads AS t ON t.key = c.thread_key
LEFT JOIN main.states AS s ON s.key = c.state_key
LEFT JOIN main.state_texts AS x ON x.state_key = s.key
LEFT JOIN main.state_texts AS b ON b.state_key = s.base_key
WHERE t.key IS NULL OR x.state_key IS NULL OR s.tenant_id <> t.tenant_id OR (s.base_key IS NOT NULL AND b.state_key IS NULL)
ORDER BY 1
