SELECT 1
FROM artifacts
WHERE content_id = ?1
UNION ALL
SELECT 1
FROM skill_revisions
WHERE content_id = ?1
LIMIT 1
