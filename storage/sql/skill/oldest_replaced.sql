SELECT digest, content_id
FROM skill_revisions INDEXED BY skill_revisions_by_version
WHERE tenant_id = ? AND name = ? AND version = ? AND replaced_at_ms IS NOT NULL
ORDER BY uploaded_at_ms, digest
LIMIT 1
