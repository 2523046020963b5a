SELECT c.id
FROM ct.contents AS c
WHERE c.state = 2
    AND NOT EXISTS (SELECT 1 FROM main.artifacts AS a WHERE a.content_id = c.id)
    AND NOT EXISTS (SELECT 1 FROM main.skill_revisions AS r WHERE r.content_id = c.id)
ORDER BY c.id
