SELECT r.name || ' ' || r.version || ' (' || r.digest || ')'
FROM main.skill_revisions AS r
WHERE NOT EXISTS (SELECT 1 FROM ct.contents AS c WHERE c.id = r.content_id AND c.tenant_id = r.tenant_id AND c.state = 2)
ORDER BY 1
