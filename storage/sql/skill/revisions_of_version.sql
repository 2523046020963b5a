SELECT version, digest, content_id, size_bytes, files, format, uploaded_at_ms, replaced_at_ms, 0
FROM skill_revisions INDEXED BY skill_revisions_by_version
WHERE tenant_id = :tenant AND name = :name AND version = :version
ORDER BY uploaded_at_ms, digest
